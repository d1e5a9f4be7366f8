import type { Listing, ListQuery } from './page.js';
import type { Answer, RequestOptions, Transport } from './transport.js';
import type { Execution, ListedRun, Run, RunRequest, TryRequest } from './types.js';

/** Runs code of strangers in isolation: TypeScript, JavaScript and Python. */
export class Sandbox {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Runs a program in the anonymous sandbox, which needs no key, and resolves when it is over: ten runs a day for one
   * IP address, 30 seconds each. `meta.remaining_executions` says how many are left today.
   *
   * A program that fails is a success of this call: `data.status` and `data.exit_code` say how it ended.
   *
   * @throws {ValidationError} `invalid_request`: `details` names the field.
   * @throws {RateLimitError} `sandbox_daily_limit_exceeded`: the runs of the day are used up.
   * @throws {ServiceError} `sandbox_unavailable`: no sandbox could be had; no run is counted.
   */
  try(
    request: TryRequest,
    options?: RequestOptions,
  ): Promise<Answer<Execution, { readonly remaining_executions: number; readonly request_id: string }>> {
    return this.#transport.send({ method: 'POST', path: '/api/v1/sandbox/try', body: request }, options);
  }

  /**
   * Runs a program on your account and resolves when it is over, however it ended: `status` says it. Needs the
   * scope `sandbox:execute`.
   *
   * It costs the time that it takes, `cost` in dollars; the price of its whole time limit is held meanwhile.
   *
   * @throws {InsufficientCreditsError} `credits_exhausted` or `spend_cap_reached`: a shorter `timeout_ms` needs less.
   * @throws {RateLimitError} `concurrency_limit_exceeded`: too many runs at once.
   * @throws {ServiceError} `sandbox_unavailable`.
   */
  run(request: RunRequest, options?: RequestOptions): Promise<Run> {
    return this.#transport.post('/api/v1/sandbox/executions', { ...request, wait: true }, options);
  }

  /** Starts a run and resolves once it is queued; {@link get} tells how it goes. Otherwise like {@link run}. */
  start(request: RunRequest, options?: RequestOptions): Promise<Run> {
    return this.#transport.post('/api/v1/sandbox/executions', { ...request, wait: false }, options);
  }

  /** @throws {NotFoundError} `execution_not_found`. */
  get(executionId: string, options?: RequestOptions): Promise<Run> {
    return this.#transport.get(`/api/v1/sandbox/executions/${encodeURIComponent(executionId)}`, options);
  }

  /** The runs of the organization, the latest first. */
  list(query?: ListQuery, options?: RequestOptions): Listing<ListedRun> {
    return this.#transport.list('/api/v1/sandbox/executions', query, options);
  }

  /**
   * Ends a run.
   *
   * @throws {ConflictError} `execution_already_over`.
   * @throws {NotFoundError} `execution_not_found`.
   */
  cancel(executionId: string, options?: RequestOptions): Promise<Run> {
    return this.#transport.post(
      `/api/v1/sandbox/executions/${encodeURIComponent(executionId)}/cancel`,
      undefined,
      options,
    );
  }
}
