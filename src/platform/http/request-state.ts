import type { Request } from 'express';

/** What is known of one request from its first byte to its log line. */
export interface RequestState {
  /** The caller's own `X-Request-Id` when it is well formed, else one of ours (`req_…`). */
  readonly requestId: string;
  /** 32 hex digits, from `traceparent`, else `X-Trace-Id`, else random. */
  readonly traceId: string;
  /** Of `performance.now()`. */
  readonly startedAtMs: number;
  /** What modules add to the log lines of the request: ids, which need no escapes. */
  logFields?: Readonly<Record<string, string>>;
  /** Identifies the authenticated caller, whose retries of a write belong together. */
  callerKey?: string;
}

const STATE = Symbol('request state');
type Carrier = Request & { [STATE]?: RequestState };

export function attachState(request: Request, state: RequestState): void {
  (request as Carrier)[STATE] = state;
}

/** @throws {Error} when the request did not come through the request context middleware, a wiring fault. */
export function stateOf(request: Request): RequestState {
  const state = (request as Carrier)[STATE];
  if (state === undefined) throw new Error('A request has no state: the request context middleware did not run.');
  return state;
}
