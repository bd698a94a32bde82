import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Of a client. One with other options, or another `serial`, is another one. */
export interface Options {
  apiKey: string;
  baseUrl: string;
  maxRetries?: number;
  /** Seconds. */
  timeout?: number;
  /** Seconds. */
  maxWait?: number;
  /** Whether what is told of answers throws. */
  throws?: boolean;
  serial?: number;
}

/** The name of a method with its part, as TypeScript has it, and its arguments. `seen`: what was told of answers. */
export type Call = [name: string, ...args: unknown[]];

/** One line to a driver, which answers with a Result for each call. The calls are made together, where the language can do that. */
export interface Asked {
  options: Options;
  calls: Call[];
}

export interface Result {
  value?: unknown;
  error?: Refusal;
  /** Of the program that calls: refused before anything is sent. */
  mistake?: string;
}

export interface Refusal {
  code: string;
  status: number;
  message: string;
  requestId?: string | undefined;
  details?: unknown;
  retryAfter?: number | undefined;
  outcome?: string | undefined;
}

const DRIVERS: Record<string, string[]> = {
  TypeScript: [process.execPath, 'driver.ts'],
  Python: ['python3', 'driver.py'],
  PHP: ['php', 'driver.php'],
};

export const CLIENTS = Object.keys(DRIVERS);

/** Clients whose language this machine lacks. */
export function missingClients(): string[] {
  return CLIENTS.filter((name) => spawnSync(DRIVERS[name]![0]!, ['--version']).status !== 0);
}

/** One client of ours in a process of its own. */
export class ClientProcess {
  readonly name: string;
  readonly #child;
  readonly #lines: AsyncIterator<string>;

  /** `trusted`: a file with the certificate of an authority. */
  constructor(name: string, trusted?: string) {
    this.name = name;
    const [program = '', driver = ''] = DRIVERS[name]!;
    this.#child = spawn(program, [join(import.meta.dirname, driver)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      // OpenSSL's name and Node's for whom to trust.
      env: {
        ...process.env,
        ...(trusted === undefined ? {} : { SSL_CERT_FILE: trusted, NODE_EXTRA_CA_CERTS: trusted }),
      },
    });
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  async ask(asked: Asked): Promise<Result[]> {
    this.#child.stdin.write(`${JSON.stringify(asked)}\n`);
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`the driver of ${this.name} has ended`);
    return JSON.parse(value) as Result[];
  }

  async end(): Promise<void> {
    const closed = once(this.#child, 'close');
    this.#child.stdin.end();
    await closed;
  }
}
