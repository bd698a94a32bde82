import { createGunzip, type Gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { OutboundFailure } from './failure.ts';

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** The rest was not read: it is longer than allowed. */
  truncated: boolean;
}

/**
 * One request and its answer, as undici tells it. undici's own `request` makes a stream, its iterator and an abort signal
 * for each, which was a third of what a delivery cost.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<Answer>;
  readonly #settle = Promise.withResolvers<Answer>();
  readonly #maxBodyBytes: number;
  readonly #decompress: boolean;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #gunzip: Gunzip | undefined;
  #status = 0;
  #headers: Record<string, string> = {};
  #size = 0;
  #ended: Error | undefined;

  constructor(maxBodyBytes: number, decompress: boolean) {
    this.#maxBodyBytes = maxBodyBytes;
    this.#decompress = decompress;
    this.answer = this.#settle.promise;
  }

  /** Ends it early. The first reason counts. */
  end(reason: Error): void {
    this.#settle.reject(reason);
    this.#close(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#ended !== undefined) controller.abort(this.#ended);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // An interim answer, such as 103; the real one follows.
    if (status < 200) return;
    this.#status = status;
    this.#headers = flat(headers);
    if (this.#decompress) this.#unpack();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#gunzip === undefined) this.#take(chunk);
    else if (!this.#gunzip.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#gunzip === undefined) this.#finish(false);
    else this.#gunzip.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.end(error);
  }

  #unpack(): void {
    const encoding = this.#headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
    if (encoding === 'identity' || encoding === '') return;
    if (encoding !== 'gzip' && encoding !== 'x-gzip') {
      const told = `the response has the encoding "${encoding.slice(0, 40)}"`;
      this.end(new OutboundFailure('invalid_response', told));
      return;
    }
    this.#gunzip = createGunzip()
      .on('data', (chunk: Buffer) => this.#take(chunk))
      .on('drain', () => this.#controller?.resume())
      .on('end', () => this.#finish(false))
      .on('error', (error) => this.end(error));
  }

  #take(chunk: Buffer): void {
    if (this.#ended !== undefined) return;
    this.#chunks.push(chunk.subarray(0, this.#maxBodyBytes - this.#size));
    this.#size += chunk.length;
    if (this.#size <= this.#maxBodyBytes) return;
    this.#finish(true);
    this.#close(new OutboundFailure('too_large', 'the response is too large'));
  }

  #finish(truncated: boolean): void {
    const [body = EMPTY, ...more] = this.#chunks;
    this.#settle.resolve({
      status: this.#status,
      headers: this.#headers,
      body: more.length === 0 ? body : Buffer.concat(this.#chunks),
      truncated,
    });
  }

  #close(reason: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#gunzip?.destroy();
    this.#controller?.abort(reason);
  }
}

const EMPTY = Buffer.alloc(0);

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) all[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return all;
}
