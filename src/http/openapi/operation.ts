import type { Caller } from '../../caller.ts';
import type { Scope } from '../../ids/scopes.ts';
import type { ErrorCode } from '../../errors.ts';
import type { HeaderName } from './headers.ts';
import type { TagName } from './parts.ts';

/** What a route says about itself. Authentication reads its scope, the OpenAPI document reads all of it. */
export interface Operation {
  readonly id: string;
  readonly tag: TagName;
  readonly summary: string;
  readonly description: string;
  /** Absent on public operations, which need no key. */
  readonly scope?: Scope;
  /** The codes that only this operation answers with; document.ts adds those of every operation of its kind. */
  readonly errors?: readonly ErrorCode[];
  /** Headers that only this operation's successes have; document.ts adds those of every operation of its kind. */
  readonly headers?: readonly HeaderName[];
  readonly example: {
    readonly params?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string | number>>;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    /** The `data` of the answer. */
    readonly data?: unknown;
  };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation;
    /** On the route that answers 405 for a path: its `Allow` header. */
    allow?: string;
    /** Served in overload too, so that nobody who watches the service takes it for dead. */
    alwaysServed?: boolean;
  }
  interface FastifyRequest {
    caller: Caller;
    /** What the request made or read, where the path does not name it; for the log. */
    recordId: string | undefined;
    /** The error that it was answered with, if any. */
    errorCode: string | undefined;
  }
}
