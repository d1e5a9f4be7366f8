import { EVENTS, eventsOf, eventsOfCall, type ExecutionEvent, isOfStream } from './execution-events.js';
import type { RequestOptions, Service } from './index.js';
import { SandboxSessions } from './live-session.js';
import type { Execution, Run, RunRequest, TryRequest } from './types.js';

export { type ExecutionEvent, StreamBrokenError } from './execution-events.js';
export { type LiveSession, type SandboxSessions, type SessionFiles } from './live-session.js';

const EXECUTIONS = '/api/v1/sandbox/executions';
/** How long a loop that was left waits to know the run that it has started, and then for that to be cancelled. */
const CANCEL_MS = 5_000;

/** What streams accept. `timeoutMs` limits the wait for their start. */
export type StreamOptions = Omit<RequestOptions, 'dryRun'>;

export interface FollowOptions extends Omit<StreamOptions, 'idempotencyKey'> {
  /** Only the events after this `seq`. By default, it begins with the first. */
  readonly after?: number | undefined;
}

/**
 * Runs programs and yields their output while they run, and keeps interpreters in sessions. It uses the credentials,
 * the organization and the retries of a client.
 */
export class LiveSandbox {
  readonly sessions: SandboxSessions;
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
    this.sessions = new SandboxSessions(service);
  }

  /**
   * Starts a run like `service.sandbox.start`, and yields what happens in it. Returns its result. If the connection
   * breaks, it resumes after the last event.
   *
   * Leaving the loop before the result, or an abort, cancels the run; you pay for its time up to then. An abort during
   * the start waits up to five seconds for its answer. After an error the run goes on: see {@link events}. A program
   * that fails is no error: see `result.status`.
   *
   * @throws as `service.sandbox.run`, and like {@link events}.
   */
  async *stream(request: RunRequest, options: StreamOptions = {}): AsyncGenerator<ExecutionEvent, Run, undefined> {
    const { id } = await this.#started(request, options);
    let isLeft = true;
    try {
      const result = yield* this.events(id, options);
      isLeft = false;
      return result;
    } catch (error) {
      // Other errors are those that the caller threw into the loop, which leaves it.
      isLeft = options.signal?.aborted === true || !isOfStream(error);
      throw error;
    } finally {
      if (isLeft) await this.#cancel(id, options);
    }
  }

  /**
   * Yields what happens in a run that was started before, and returns its result. If the connection breaks, it resumes
   * after the last event. Leaving the loop changes nothing about the run.
   *
   * Output is kept for at least ten minutes; later, the events begin with the result, which has all of it.
   *
   * @throws {NotFoundError} `execution_not_found`.
   * @throws {RateLimitError} `concurrency_limit_exceeded`: too many streams at once.
   * @throws {ServiceError} `sandbox_unavailable`: the platform lost the run, which is free, or its turn did not come.
   * @throws {StreamBrokenError} when the connection broke, or the service failed, again and again without an event in
   *   between.
   */
  async *events(
    executionId: string,
    { after, ...options }: FollowOptions = {},
  ): AsyncGenerator<ExecutionEvent, Run, undefined> {
    const path = `${EXECUTIONS}/${encodeURIComponent(executionId)}/events`;
    const open = (seq: number | undefined, opening: RequestOptions): Promise<Response> =>
      this.#service.request(
        { method: 'GET', path, headers: { ...EVENTS, ...(seq === undefined ? {} : { 'last-event-id': `${seq}` }) } },
        opening,
      );
    const result = yield* eventsOf<Run>({ open, after, executionId }, options);
    return result ?? (await this.#service.sandbox.get(executionId, options));
  }

  /**
   * Runs a program in the anonymous sandbox like `service.sandbox.try`, and yields its output. Its last event has
   * `remaining_executions`. Closing the connection ends the run. Nothing is retried, unless `maxRetries` says so.
   *
   * @throws as `service.sandbox.try`.
   * @throws {StreamBrokenError} when the connection broke. An anonymous run cannot be resumed.
   */
  async *tryStream(
    request: TryRequest,
    options: Omit<StreamOptions, 'idempotencyKey'> = {},
  ): AsyncGenerator<ExecutionEvent<Execution>, Execution, undefined> {
    return yield* eventsOfCall<Execution>(
      this.#service,
      { path: '/api/v1/sandbox/try', body: request },
      'Anonymous runs cannot be resumed. Run it again, or with an account.',
      options,
    );
  }

  /** An aborted call may have started a run all the same. Only its answer says which, so that it is waited for. */
  async #started(request: RunRequest, { signal, ...options }: StreamOptions): Promise<Run> {
    signal?.throwIfAborted();
    const waiting = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const leave = (): void => {
      timer = setTimeout(() => {
        waiting.abort(signal!.reason);
      }, CANCEL_MS);
    };
    signal?.addEventListener('abort', leave);
    try {
      return await this.#service.sandbox.start(request, { ...options, signal: waiting.signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    }
  }

  async #cancel(id: string, { organization }: StreamOptions): Promise<void> {
    // A run that is over needs no cancellation, and one that cannot be cancelled ends at its time limit.
    await this.#service.sandbox
      .cancel(id, { organization, timeoutMs: CANCEL_MS, maxRetries: 0 })
      .catch(() => undefined);
  }
}
