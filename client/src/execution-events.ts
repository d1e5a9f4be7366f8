import {
  AuthenticationError,
  AuthorizationError,
  ConflictError,
  InsufficientCreditsError,
  NotFoundError,
  RateLimitError,
  type RequestOptions,
  type Service,
  ServiceError,
  ValidationError,
} from './index.js';
import { type ServerEvent, serverEventsOf } from './server-events.js';
import { MAX_BREAKS, MAX_TIMER_MS, PAUSE_MS, sleep } from './sleep.js';
import type { Execution, Run } from './types.js';

/**
 * What happens in a run, in its order: the output as it is written, then how the run ended, then the end of the stream.
 * `seq` increases. `R` is the result: a {@link Run}, or an {@link Execution} of the anonymous sandbox.
 */
export type ExecutionEvent<R extends Run | Execution = Run> =
  | { readonly type: 'execution'; readonly seq: number; readonly execution: Run }
  | { readonly type: 'stdout' | 'stderr'; readonly seq: number; readonly text: string }
  | { readonly type: 'result'; readonly seq: number; readonly result: R }
  | {
      readonly type: 'end';
      readonly seq: number;
      readonly status: R['status'];
      /** In the anonymous sandbox: the runs that are left today. */
      readonly remaining_executions?: number;
    };

/** The connection broke, and the stream does not go on. `cause` is what broke it. */
export class StreamBrokenError extends Error {
  static {
    this.prototype.name = 'StreamBrokenError';
  }

  /** The run; undefined in the anonymous sandbox, and when the connection broke before the run was known. */
  readonly executionId: string | undefined;
  /** The number of the last event that came; undefined if none did. */
  readonly seq: number | undefined;

  /** The streams create it; you need not. */
  constructor(message: string, facts: Pick<StreamBrokenError, 'executionId' | 'seq' | 'cause'>) {
    super(message, { cause: facts.cause });
    this.executionId = facts.executionId;
    this.seq = facts.seq;
  }
}

/** Whether a stream ended with this error, and not by an error of its caller. */
export const isOfStream = (error: unknown): boolean =>
  error instanceof ServiceError || error instanceof StreamBrokenError;

/** How to open a stream, and what to do when it breaks. */
interface EventStream {
  /** Opens the stream after the event with this number; undefined for all. */
  readonly open: (after: number | undefined, options: RequestOptions) => Promise<Response>;
  readonly after?: number | undefined;
  readonly executionId?: string | undefined;
  /** Why the stream cannot be resumed, and what can be done instead; undefined if it can. */
  readonly whyFinal?: string;
}

/**
 * Yields the events of a run until its end, and returns its result; undefined if that was before the first event.
 *
 * @throws {ServiceError} when the service refuses the stream, or the run failed by no fault of the program.
 * @throws {StreamBrokenError} when the connection broke for good.
 */
export async function* eventsOf<R extends Run | Execution>(
  source: EventStream,
  options: RequestOptions,
): AsyncGenerator<ExecutionEvent<R>, R | undefined, undefined> {
  const { signal } = options;
  const { whyFinal } = source;
  let { after: seq, executionId } = source;
  let result: R | undefined;
  for (let breaks = 0; ;) {
    let cause: unknown = new TypeError('terminated');
    let isOpen = false;
    let isWithCaller = false;
    const connection = new Connection(signal);
    try {
      const response = await source.open(seq, { ...options, signal: connection.signal });
      isOpen = true;
      // There is nothing after the last event.
      if (response.status === 204) return result;
      const events = serverEventsOf(response.body!, (read) => connection.within(SILENCE_MS, read));
      for await (const received of events) {
        const event = eventFrom<R>(received, response);
        breaks = 0;
        seq = Number(received.id);
        if (event === undefined) continue;
        if (event.type === 'execution') executionId = event.execution.id;
        if (event.type === 'result') result = event.result;
        isWithCaller = true;
        yield event;
        isWithCaller = false;
        if (event.type === 'end') return result;
      }
    } catch (error) {
      if (isWithCaller) throw error;
      signal?.throwIfAborted();
      // A service that is restarted is as good as a break. In the stream, an error says how the run ended.
      if (error instanceof ServiceError && (isOpen || error.status < 500 || whyFinal !== undefined)) throw error;
      cause = error;
    } finally {
      connection.close();
    }
    const facts = { executionId, seq, cause };
    if (whyFinal !== undefined) throw new StreamBrokenError(`The connection broke. ${whyFinal}`, facts);
    if (++breaks > (options.maxRetries ?? MAX_BREAKS))
      throw new StreamBrokenError(`The connection broke ${breaks} times.`, facts);
    await sleep(PAUSE_MS, signal);
  }
}

/**
 * Sends a call that runs a program, and yields what happens in it. It is sent once, unless `maxRetries` says otherwise:
 * a stream cannot have an idempotency key.
 *
 * @param whyFinal why the stream cannot be resumed, and what can be done instead.
 */
export async function* eventsOfCall<R extends Run | Execution>(
  service: Service,
  call: { readonly path: string; readonly body: object },
  whyFinal: string,
  options: RequestOptions,
): AsyncGenerator<ExecutionEvent<R>, R, undefined> {
  const open = (_seq: number | undefined, opening: RequestOptions): Promise<Response> =>
    service.request(
      { method: 'POST', ...call, headers: EVENTS, isStream: true },
      { ...opening, maxRetries: opening.maxRetries ?? 0 },
    );
  // The result comes before the end.
  return (yield* eventsOf<R>({ open, whyFinal }, options))!;
}

/** What asks for events. */
export const EVENTS = { accept: 'text/event-stream' };

/** Reads the answer to a call within a time limit, and lets go of the signal of the caller then. */
export async function answered<T>(
  call: (options: RequestOptions) => Promise<Response>,
  options: RequestOptions,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const connection = new Connection(options.signal);
  try {
    const response = await call({ ...options, signal: connection.signal });
    // That was the limit for the headers only.
    return await connection.within(options.timeoutMs ?? SILENCE_MS, read(response));
  } finally {
    connection.close();
  }
}

/** In streams, the service writes something every 15 seconds. */
const SILENCE_MS = 60_000;

/** A connection that ends with the signal of the caller, and by itself. */
class Connection {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #leave = (): void => {
    this.#controller.abort(this.#caller?.reason);
  };

  constructor(caller: AbortSignal | undefined) {
    this.#caller = caller;
    if (caller?.aborted === true) this.#leave();
    caller?.addEventListener('abort', this.#leave, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the connection, if it is still open. */
  close(): void {
    this.#caller?.removeEventListener('abort', this.#leave);
    this.#controller.abort();
  }

  /** Limits a read. A connection whose other end is gone without a word would wait for ever. */
  async within<T>(limitMs: number, read: Promise<T>): Promise<T> {
    const timer = setTimeout(
      () => {
        this.#controller.abort(new DOMException(`The answer did not come within ${limitMs} ms.`, 'TimeoutError'));
      },
      Math.min(limitMs, MAX_TIMER_MS),
    );
    try {
      return await read;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Events of a later version of the service are left out. @throws {ServiceError} for the event of an error. */
function eventFrom<R extends Run | Execution>(
  { id, type, data }: ServerEvent,
  response: Response,
): ExecutionEvent<R> | undefined {
  const seq = Number(id);
  const value = JSON.parse(data) as never;
  switch (type) {
    case 'execution':
      return { type, seq, execution: value };
    case 'stdout':
    case 'stderr':
      return { type, seq, text: (value as { readonly text: string }).text };
    case 'result':
      return { type, seq, result: value };
    case 'end':
      return { type, seq, ...(value as { readonly status: R['status'] }) };
    case 'error':
      throw errorIn(value, response);
    default:
      return undefined;
  }
}

const CLASS_BY_STATUS: Readonly<Record<number, typeof ServiceError>> = {
  400: ValidationError,
  401: AuthenticationError,
  402: InsufficientCreditsError,
  403: AuthorizationError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
};

/** The body of an error, which the service puts into a stream whose status it has sent. */
interface ErrorBody {
  readonly error: {
    readonly status: number;
    readonly type: string;
    readonly code: string;
    readonly message: string;
    readonly details?: unknown;
    readonly retry_after?: number;
    readonly hint?: string;
    readonly dashboard_url?: string;
    readonly docs_url?: string;
    readonly upgrade_url?: string;
  };
}

export function errorIn({ error }: ErrorBody, { headers }: Response): ServiceError {
  return new (CLASS_BY_STATUS[error.status] ?? ServiceError)({
    ...error,
    retryAfter: error.retry_after,
    dashboardUrl: error.dashboard_url,
    docsUrl: error.docs_url,
    // Errors that an upgrade resolves come before a stream begins.
    upgradeUrl: error.upgrade_url ?? '',
    requestId: headers.get('x-request-id') ?? undefined,
  });
}
