import type { Listing, ListQuery } from './page.js';
import type { Answer, RequestOptions, Transport } from './transport.js';
import type { Execution, ListedRun, Run, RunRequest, SandboxLimits, TryRequest } from './types.js';

/** Runs untrusted TypeScript, JavaScript and Python in isolation. */
export class Sandbox {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Runs a program in the anonymous sandbox, which needs no key, and resolves when it ends. An IP address has ten runs
   * a day, of 30 seconds each. `meta.remaining_executions` is the number that is left today.
   *
   * A program that fails does not make this call fail: see `data.status` and `data.exit_code`.
   *
   * @throws {ValidationError} `invalid_request`: `details` names the field.
   * @throws {RateLimitError} `sandbox_daily_limit_exceeded`: the daily runs are used up.
   * @throws {ServiceError} `sandbox_unavailable`: no sandbox was available; the run is not counted.
   */
  try(
    request: TryRequest,
    options?: RequestOptions,
  ): Promise<Answer<Execution, { readonly remaining_executions: number; readonly request_id: string }>> {
    return this.#transport.send({ method: 'POST', path: '/api/v1/sandbox/try', body: request }, options);
  }

  /**
   * Runs a program on your account and resolves when it ends; `status` says how. Needs the scope `sandbox:execute`.
   *
   * You pay for the time that it takes (`cost`, in dollars). Meanwhile, the price of its whole time limit is held.
   *
   * @throws {InsufficientCreditsError} `credits_exhausted` or `spend_cap_reached`: a shorter `timeout_ms` holds less.
   * @throws {ValidationError} `invalid_request`: `details` names the field.
   * @throws {AuthorizationError} `feature_disabled`: the operator allows no runs, or no `network`.
   * @throws {RateLimitError} `concurrency_limit_exceeded`: too many runs at once.
   * @throws {ServiceError} `sandbox_unavailable`, `packages_unavailable`, `package_install_failed`.
   */
  run(request: RunRequest, options?: RequestOptions): Promise<Run> {
    return this.#transport.post('/api/v1/sandbox/executions', { ...request, wait: true }, options);
  }

  /** Starts a run like {@link run}, but resolves once it is queued. `@service/client/sandbox` follows it to its end. */
  start(request: RunRequest, options?: RequestOptions): Promise<Run> {
    return this.#transport.post('/api/v1/sandbox/executions', { ...request, wait: false }, options);
  }

  /** Returns what executions of the organization may use on its plan, and the API calls left today. */
  limits(options?: RequestOptions): Promise<SandboxLimits> {
    return this.#transport.get('/api/v1/sandbox/limits', options);
  }

  /** @throws {NotFoundError} `execution_not_found`. */
  get(executionId: string, options?: RequestOptions): Promise<Run> {
    return this.#transport.get(`/api/v1/sandbox/executions/${encodeURIComponent(executionId)}`, options);
  }

  /** Lists the runs of the organization, newest first. */
  list(query?: ListQuery, options?: RequestOptions): Listing<ListedRun> {
    return this.#transport.list('/api/v1/sandbox/executions', query, options);
  }

  /**
   * Returns a file that a run with `artifacts` has left in `/artifacts`, within 24 hours. `artifacts` of the run lists
   * them.
   *
   * @throws {NotFoundError} `execution_not_found`, `artifact_not_found`.
   */
  artifact(executionId: string, artifactId: string, options?: RequestOptions): Promise<Response> {
    const [run, artifact] = [executionId, artifactId].map(encodeURIComponent);
    return this.#transport.response(
      { method: 'GET', path: `/api/v1/sandbox/executions/${run}/artifacts/${artifact}/content` },
      options,
    );
  }

  /**
   * Cancels a run.
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
