import type { Request } from 'express';
import type { SpanPosition } from '../logging/request-context.js';

/** What is known about a request from its first byte to its log line. */
export interface RequestState {
  /** The caller's own `X-Request-Id` when it is well formed, else a generated one (`req_…`). */
  readonly requestId: string;
  /** 32 hex digits: from `traceparent`, else from `X-Trace-Id`, else random. */
  readonly traceId: string;
  /** A reading of `performance.now()`. */
  readonly startedAtMs: number;
  /** What modules add to the log lines of the request: ids, which need no escapes. */
  logFields?: Readonly<Record<string, string>>;
  /** What an inner call is made through, for example `mcp:create_project`. */
  readonly via?: string;
  /** The span of the request; absent while traces are off. */
  readonly span?: SpanPosition;
  /** Identifies the authenticated caller, so that retries of a write are matched to it. */
  callerKey?: string;
}

const STATE = Symbol('request state');
type Carrier = Request & { [STATE]?: RequestState };

export function attachState(request: Request, state: RequestState): void {
  (request as Carrier)[STATE] = state;
}

/** @throws {Error} when the request did not pass the request context middleware, which is a wiring fault. */
export function stateOf(request: Request): RequestState {
  const state = (request as Carrier)[STATE];
  if (state === undefined) throw new Error('A request has no state: the request context middleware did not run.');
  return state;
}
