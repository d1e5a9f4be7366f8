/// <reference lib="esnext.disposable" preserve="true" />
import { answered, errorIn, eventsOfCall, type ExecutionEvent } from './execution-events.js';
import type { Answer, Call, RequestOptions, Service } from './index.js';
import { Listing, type Page } from './page.js';
import type {
  NewSandboxSession,
  Run,
  SandboxSession,
  SandboxSessionCode,
  SandboxSessionCommand,
  SandboxSessionFile,
  SandboxSessionsQuery,
} from './types.js';

const PATH = '/api/v1/sandbox/sessions';
/** The longest time limit, after the longest wait for what runs in the session. */
const TIMEOUT_MS = 900_000;

/** What streams of sessions accept. `timeoutMs` limits the wait for their start. */
type StreamOptions = Omit<RequestOptions, 'dryRun' | 'idempotencyKey'>;

/** The sessions of an organization. They need the scope `sandbox:execute`. */
export class SandboxSessions {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /**
   * Creates a session, and resolves once it can be used. It is frozen between uses, and only the time of its runs and
   * commands is charged.
   *
   * @throws {ValidationError} `invalid_request`: `details` names the field.
   * @throws {InsufficientCreditsError} `credits_exhausted`, `spend_cap_reached` or `budget_exceeded`.
   * @throws {RateLimitError} `concurrency_limit_exceeded`: the plan allows no more sessions at once.
   * @throws {ServiceError} `sandbox_unavailable`, `package_install_failed` or `packages_unavailable`.
   */
  async create(session: NewSandboxSession, options?: RequestOptions): Promise<LiveSession> {
    return this.#live(await dataOf(this.#service, { method: 'POST', path: PATH, body: session }, options));
  }

  /** Returns a session. @throws {NotFoundError} `sandbox_session_not_found`. */
  async get(sessionId: string, options?: RequestOptions): Promise<LiveSession> {
    return this.#live(await dataOf(this.#service, { method: 'GET', path: pathOf(sessionId) }, options));
  }

  /** Returns the session with this ID, without a call. */
  withId(sessionId: string): LiveSession {
    return new LiveSession(this.#service, sessionId);
  }

  /** Lists sessions, newest first. Those that have ended are listed for 30 days. */
  list(query: SandboxSessionsQuery = {}, options?: RequestOptions): Listing<SandboxSession> {
    return new Listing<SandboxSession>(
      (cursor) =>
        answerOf<readonly SandboxSession[], Page<SandboxSession>['meta']>(
          this.#service,
          { method: 'GET', path: PATH, query: { ...query, cursor } },
          options,
        ),
      query.cursor,
    );
  }

  #live(info: SandboxSession): LiveSession {
    return new LiveSession(this.#service, info.id, info);
  }
}

/**
 * An interpreter that keeps its variables and files between runs. `await using` ends it with its block.
 *
 * Its methods throw {@link NotFoundError} `sandbox_session_not_found`, and {@link ConflictError} `sandbox_session_over`
 * once it has ended.
 */
export class LiveSession implements AsyncDisposable {
  readonly id: string;
  readonly files: SessionFiles;
  readonly #service: Service;
  #info: SandboxSession | undefined;

  /** The methods of {@link SandboxSessions} create it; you need not. */
  constructor(service: Service, id: string, info?: SandboxSession) {
    this.id = id;
    this.files = new SessionFiles(service, id);
    this.#service = service;
    this.#info = info;
  }

  /** What the service has said of the session last; undefined before it said anything. */
  get info(): SandboxSession | undefined {
    return this.#info;
  }

  /**
   * Runs code with the variables and files that earlier runs left, and resolves to the result. Runs and commands of a
   * session take turns. A program that fails is no error: see `status`.
   *
   * @throws {ConflictError} `sandbox_session_busy`: what runs in the session took longer than `queue_timeout_ms`.
   * @throws {InsufficientCreditsError} `credits_exhausted`, `spend_cap_reached` or `budget_exceeded`.
   * @throws {RateLimitError} `concurrency_limit_exceeded`.
   * @throws {ServiceError} `sandbox_unavailable`, also when the platform lost the run.
   */
  run(code: SandboxSessionCode | string, options?: RequestOptions): Promise<Run> {
    return this.#result(runOf(code), options);
  }

  /** Runs a command of the shell in the working directory. It throws what {@link run} throws. */
  shell(command: SandboxSessionCommand | string, options?: RequestOptions): Promise<Run> {
    return this.#result(shellOf(command), options);
  }

  /**
   * Starts a run like {@link run}, and resolves once it is taken. It goes on by itself: `events(run.id)` of the sandbox
   * yields what happens in it. When its turn does not come in time, it becomes `cancelled`.
   *
   * @throws as {@link run}; {@link ConflictError} `sandbox_session_busy` when too many wait.
   */
  start(code: SandboxSessionCode | string, options?: RequestOptions): Promise<Run> {
    return this.#result(begun(runOf(code)), options);
  }

  /** Starts a command of the shell like {@link start}. */
  startShell(command: SandboxSessionCommand | string, options?: RequestOptions): Promise<Run> {
    return this.#result(begun(shellOf(command)), options);
  }

  /**
   * Runs code like {@link run}, yields what happens in it, and returns its result. Leaving the loop, or an abort, ends
   * the run. Nothing is retried, unless `maxRetries` says so.
   *
   * @throws as {@link run}.
   * @throws {StreamBrokenError} when the connection broke, which ends the run.
   */
  stream(code: SandboxSessionCode | string, options?: StreamOptions): AsyncGenerator<ExecutionEvent, Run, undefined> {
    return this.#events(runOf(code), options);
  }

  /** Runs a command of the shell like {@link stream}. */
  streamShell(
    command: SandboxSessionCommand | string,
    options?: StreamOptions,
  ): AsyncGenerator<ExecutionEvent, Run, undefined> {
    return this.#events(shellOf(command), options);
  }

  /** Freezes the session now, and not a quarter of a second after its last use. The next use wakes it. */
  freeze(options?: RequestOptions): Promise<SandboxSession> {
    return this.#answered({ method: 'POST', path: `${pathOf(this.id)}/freeze` }, options);
  }

  /** Ends the session: its variables and files are gone. A session that has ended stays as it is. */
  end(options?: RequestOptions): Promise<SandboxSession> {
    return this.#answered({ method: 'DELETE', path: pathOf(this.id) }, options);
  }

  /** Ends the session, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  #result({ part, body }: Work, options?: RequestOptions): Promise<Run> {
    const call: Call = { method: 'POST', path: `${pathOf(this.id)}/${part}`, body };
    return dataOf(this.#service, call, { timeoutMs: TIMEOUT_MS, ...options });
  }

  #events({ part, body }: Work, options: RequestOptions = {}): AsyncGenerator<ExecutionEvent, Run, undefined> {
    const why = 'That ends a run in a session; the session goes on. Its files and variables show how far it came.';
    return eventsOfCall<Run>(this.#service, { path: `${pathOf(this.id)}/${part}`, body }, why, options);
  }

  async #answered(call: Call, options?: RequestOptions): Promise<SandboxSession> {
    this.#info = await dataOf<SandboxSession>(this.#service, call, options);
    return this.#info;
  }
}

/**
 * The files of a session. Paths are relative to its working directory. A file has at most 8 MiB.
 *
 * Its methods throw {@link NotFoundError} `session_file_not_found`, and {@link ValidationError} `invalid_request` for a
 * path that leads out of the working directory.
 */
export class SessionFiles {
  readonly #service: Service;
  readonly #path: string;

  constructor(service: Service, sessionId: string) {
    this.#service = service;
    this.#path = `${pathOf(sessionId)}/files`;
  }

  /** Lists up to 1,000 entries of a directory; by default, of the working directory. */
  list(directory?: string, options?: RequestOptions): Promise<readonly SandboxSessionFile[]> {
    return dataOf(this.#service, { method: 'GET', path: this.#path, query: { path: directory || undefined } }, options);
  }

  /**
   * Reads a file. Its content has to arrive within `timeoutMs`, by default within a minute.
   *
   * @throws {ServiceError} `payload_too_large`.
   */
  read(path: string, options?: RequestOptions): Promise<Uint8Array<ArrayBuffer>> {
    return this.#content({ method: 'GET' }, path, options);
  }

  /**
   * Writes a file, and the directories that it is in. One that is there is replaced. A text is written as UTF-8.
   *
   * @throws {ServiceError} `payload_too_large`.
   * @throws {ConflictError} `sandbox_session_full`.
   */
  async write(path: string, content: string | Uint8Array<ArrayBuffer> | Blob, options?: RequestOptions): Promise<void> {
    const body = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    await this.#content({ method: 'PUT', body }, path, options);
  }

  /** Deletes a file, or a directory with all that it contains. */
  async delete(path: string, options?: RequestOptions): Promise<void> {
    await this.#content({ method: 'DELETE' }, path, options);
  }

  #content(
    call: Pick<Call, 'method' | 'body'>,
    path: string,
    options: RequestOptions = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    return answered(
      (sending) => this.#service.request({ ...call, path: `${this.#path}/content`, query: { path } }, sending),
      options,
      async (response) => new Uint8Array(await response.arrayBuffer()),
    );
  }
}

/** A run or a command. */
interface Work {
  readonly part: 'runs' | 'shell';
  readonly body: object;
}

const begun = ({ part, body }: Work): Work => ({ part, body: { ...body, wait: false } });
const runOf = (code: SandboxSessionCode | string): Work => ({
  part: 'runs',
  body: typeof code === 'string' ? { code } : code,
});

const shellOf = (command: SandboxSessionCommand | string): Work => ({
  part: 'shell',
  body: typeof command === 'string' ? { command } : command,
});

const pathOf = (sessionId: string): string => `${PATH}/${encodeURIComponent(sessionId)}`;

const dataOf = async <T>(service: Service, call: Call, options?: RequestOptions): Promise<T> =>
  (await answerOf<T>(service, call, options)).data;

function answerOf<T, M = { readonly request_id: string }>(
  service: Service,
  call: Call,
  options: RequestOptions = {},
): Promise<Answer<T, M>> {
  return answered(
    (sending) => service.request(call, sending),
    options,
    async (response) => {
      // What ends the read, such as an abort, is thrown as it is.
      const text = await response.text();
      try {
        const body = JSON.parse(text) as object;
        if ('data' in body) return body as Answer<T, M>;
      } catch {
        // It is no JSON, or no object.
      }
      const { status } = response;
      const message = `The response with status ${status} is not from the API. Check baseUrl and any proxy.`;
      throw errorIn({ error: { status, type: 'api_error', code: 'unreadable_answer', message } }, response);
    },
  );
}
