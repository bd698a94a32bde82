import type { Caller } from '../../api-keys/caller.ts';
import type { Scope } from '../../api-keys/scopes.ts';
import type { ErrorCode } from '../../errors.ts';
import type { HeaderName } from './headers.ts';

/** What a route says about itself: the guard reads its scope, the OpenAPI document all of it. */
export interface Operation {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Absent on public operations, which need no key. */
  readonly scope?: Scope;
  /** Beyond those that every operation of its kind can answer with. */
  readonly errors?: readonly ErrorCode[];
  /** Of its successes, beyond those that every operation of its kind has. */
  readonly headers?: readonly HeaderName[];
  readonly example: {
    readonly params?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string | number>>;
    readonly body?: unknown;
    /** The `data` of the answer. */
    readonly data?: unknown;
  };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation;
    /** The 405 of a path: its `Allow` header. */
    allow?: string;
    /** Also in overload: whoever watches over the service must not take it for dead. */
    alwaysServed?: boolean;
  }
  interface FastifyRequest {
    caller: Caller;
  }
}
