import {
  errorFrom,
  membersOf,
  parsed,
  type RawAnswer,
  retryAfterInBody,
  ServiceError,
  unreadableAnswer,
} from './errors.js';
import { Listing, type ListQuery, type Page } from './page.js';
import type { SignedUrl } from './storage-types.js';
import { isRetryable, parseRetryAfter, waitSeconds } from './retry.js';
import { MAX_BREAKS, MAX_TIMER_MS, PAUSE_MS, sleep } from './sleep.js';

/** Options of every call. */
export interface RequestOptions {
  /** Aborts the call, also between attempts. The call then fails with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Longest time of one attempt including its body, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Calls with the same key and body happen once. Only writes use it; by default each call has its own. */
  readonly idempotencyKey?: string | undefined;
  /** Checks, authorizes and prices a write, and changes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Id or slug of the organization of the call. */
  readonly organization?: string | undefined;
  /** Attempts after the first. */
  readonly maxRetries?: number | undefined;
}

/** The daily budget, according to the latest response. */
export interface Budget {
  /** Plan of the caller: `free`, `builder`, `pro`, `enterprise` or `anonymous`. */
  readonly tier: string;
  /** Calls a day. Plans without a limit have 2147483647. */
  readonly limit: number;
  readonly remaining: number;
  /** The next 00:00 UTC, to about a second. */
  readonly resetsAt: Date;
}

export interface RequestEvent {
  readonly method: string;
  readonly url: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** All attempts of one call have the same key; reads have none. */
  readonly idempotencyKey: string | undefined;
}

export interface ResponseEvent extends RequestEvent {
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string | undefined;
}

export interface RetryEvent extends RequestEvent {
  readonly waitSeconds: number;
  /** The error that the call would throw without a retry. */
  readonly error: ServiceError;
}

/**
 * Callbacks for logs and metrics. They see neither credentials nor bodies. A hook that throws makes the call fail.
 */
export interface Hooks {
  /** Called before each attempt. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  /** Called after each response, whatever its status. */
  readonly onResponse?: ((event: ResponseEvent) => void) | undefined;
  /** Called before each wait for a retry. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
}

/** The options of a client with all defaults filled in. */
export interface Settings {
  readonly baseUrl: string;
  /** Key or session token. Without one, no credential is sent. */
  readonly credential: string | undefined;
  /** True when the browser sends the session in its cookie. */
  readonly inCookie: boolean;
  readonly organization: string | undefined;
  readonly pricingUrl: string;
  readonly maxRetries: number;
  readonly maxRetryAfterSeconds: number;
  readonly timeoutMs: number;
  readonly fetch: typeof fetch;
  readonly hooks: Hooks;
}

/** The envelope of every successful response. */
export interface Answer<T, M = { readonly request_id: string }> {
  readonly data: T;
  readonly meta: M;
}

/** Each value of an array is a parameter of its own. */
type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** One call of the API. */
export interface Call {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Query | undefined;
  /** Bytes are sent as they are, anything else as JSON. */
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** A response that is streamed cannot be repeated, so that the call gets no idempotency key. */
  readonly isStream?: boolean | undefined;
  /** The path is a whole URL that carries its own right. */
  readonly isSigned?: boolean | undefined;
}

/** A successful response whose body arrives line by line. */
export interface OpenedStream {
  readonly headers: Headers;
  /** Yields the lines until the end. Leaving the loop closes the connection. */
  lines(): AsyncGenerator<string, void, undefined>;
  /** Closes the connection. A loop over the lines ends. */
  close(): Promise<void>;
}

/** Options of a stream that resumes after its last line. */
interface FollowOptions extends RequestOptions {
  readonly query?: Query | undefined;
}

/** A response whose body has not been read. */
interface Opened extends RawAnswer {
  readonly response: Response;
  /** Aborts the read with the caller's signal. Release it at the end. */
  readonly limit: Limit;
}

interface Limit {
  readonly signal: AbortSignal;
  /** Ends the time limit; only the caller can abort from now on. */
  stopClock(): void;
  release(): void;
}

/** A call with its headers. All attempts share it, above all the idempotency key. */
interface Prepared {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | Blob | undefined;
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
}

/** Sends calls to the API, with credentials, time limits and retries, and turns error responses into errors. */
export class Transport {
  // A private field is not printed with the client, so its credential does not leak.
  readonly #settings: Settings;
  #budget: Budget | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  get budget(): Budget | undefined {
    return this.#budget;
  }

  get<T>(path: string, options?: RequestOptions): Promise<T> {
    return this.#data({ method: 'GET', path }, options);
  }

  post<T>(path: string, body?: object, options?: RequestOptions): Promise<T> {
    return this.#data({ method: 'POST', path, body }, options);
  }

  put<T>(path: string, body: object, options?: RequestOptions): Promise<T> {
    return this.#data({ method: 'PUT', path, body }, options);
  }

  patch<T>(path: string, body: object, options?: RequestOptions): Promise<T> {
    return this.#data({ method: 'PATCH', path, body }, options);
  }

  delete(path: string, options?: RequestOptions): Promise<void> {
    return this.#data({ method: 'DELETE', path }, options);
  }

  /** Where plans and their prices are shown. */
  get pricingUrl(): string {
    return this.#settings.pricingUrl;
  }

  /** Sends a call to an operator endpoint, whose responses have no envelope. */
  async plain<T>(call: Call, options: RequestOptions = {}): Promise<T> {
    const { text } = await this.#tried(call, options, (opened) => this.#read(opened));
    return parsed(text) as T;
  }

  /** Sends a call to an endpoint that answers in the shape of another API, without an envelope. */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- The caller knows the shape.
  async raw<T>(call: Call, options: RequestOptions = {}): Promise<{ readonly body: T; readonly headers: Headers }> {
    const answer = await this.#tried(call, options, (opened) => this.#read(opened));
    const body = parsed(answer.text);
    if (!('object' in membersOf(body))) throw unreadableAnswer(answer, this.#settings.pricingUrl);
    return { body: body as T, headers: answer.headers };
  }

  list<T>(path: string, query: ListQuery = {}, options?: RequestOptions): Listing<T> {
    const fetchPage = (cursor: string | undefined): Promise<Page<T>> =>
      this.send<readonly T[], Page<T>['meta']>({ method: 'GET', path, query: { ...query, cursor } }, options);
    return new Listing(fetchPage, query.cursor);
  }

  /** @throws {ServiceError} when the response is an error that a retry cannot fix, or no retry is left. */
  async send<T, M>(call: Call, options: RequestOptions = {}): Promise<Answer<T, M>> {
    return readAnswer(await this.#tried(call, options, (opened) => this.#read(opened)), this.#settings.pricingUrl);
  }

  /**
   * Opens a streamed response. `timeoutMs` limits the wait for its start. A broken stream is not retried here.
   *
   * @throws {ServiceError} like {@link send}.
   */
  async open(call: Call, options?: RequestOptions): Promise<OpenedStream> {
    const { response, limit } = await this.#unread(call, options);
    return new LineReader(response, limit);
  }

  /** Returns a response whose body has not been read. Otherwise like {@link open}. */
  async response(call: Call, options?: RequestOptions): Promise<Response> {
    return (await this.#unread(call, options)).response;
  }

  /** Sends bytes to a URL that needs no credential, and must not get one. */
  async putSigned({ url, headers }: SignedUrl, body: object, options: RequestOptions): Promise<void> {
    const call: Call = { method: 'PUT', path: url, headers, body, isSigned: true };
    await this.#tried(call, options, (opened) => this.#read(opened));
  }

  #unread(call: Call, options: RequestOptions = {}): Promise<Opened> {
    return this.#tried(call, options, async (opened) => {
      if (!opened.response.ok) return { ...opened, text: await this.#read(opened).then(({ text }) => text) };
      opened.limit.stopClock();
      return opened;
    });
  }

  /** Yields lines that have no numbers, and returns their end. Nothing is repeated when the connection breaks. */
  read<Line extends { readonly seq?: undefined }, End>(
    path: string,
    query?: Query,
    options?: RequestOptions,
  ): AsyncGenerator<Line, End, undefined> {
    return this.follow<Line, End>(path, undefined, { ...options, query, maxRetries: 0 });
  }

  /**
   * Yields the lines of a log as they arrive, and returns its end. If the connection breaks, it resumes after the last
   * line. `onConnection` is called with true when a connection is open, and with false when it broke.
   */
  async *follow<Line extends { readonly seq?: number | undefined }, End = object>(
    path: string,
    after: number | undefined,
    options: FollowOptions,
    onConnection?: (isOpen: boolean) => void,
  ): AsyncGenerator<Line, End, undefined> {
    for (let seq = after, breaks = 0; ;) {
      let fault: unknown = new TypeError('terminated');
      try {
        const headers = { accept: 'application/x-ndjson', ...(seq === undefined ? {} : { 'last-event-id': `${seq}` }) };
        const opened = await this.open({ method: 'GET', path, query: options.query, headers }, options);
        onConnection?.(true);
        for await (const text of opened.lines()) {
          // The server sends empty lines to keep the connection open.
          if (text === '') continue;
          const news = JSON.parse(text) as Line | { readonly end: End };
          if ('end' in news) return news.end;
          breaks = 0;
          // What is live only has no number.
          seq = news.seq ?? seq;
          yield news;
        }
      } catch (error) {
        if (error instanceof ServiceError || options.signal?.aborted === true) throw error;
        fault = error;
      }
      onConnection?.(false);
      if (++breaks > (options.maxRetries ?? MAX_BREAKS)) throw fault;
      await sleep(PAUSE_MS, options.signal);
    }
  }

  async #tried<A extends RawAnswer>(
    call: Call,
    options: RequestOptions,
    take: (opened: Opened) => Promise<A>,
  ): Promise<A> {
    const { maxRetryAfterSeconds, pricingUrl, hooks } = this.#settings;
    const maxRetries = options.maxRetries ?? this.#settings.maxRetries;
    const prepared = this.#prepare(call, options);
    // The query of a signed URL is a credential, which hooks must not see.
    const url = call.isSigned === true ? prepared.url.replace(/\?.*/, '') : prepared.url;
    for (let attempt = 1; ; attempt++) {
      const event = { method: prepared.method, url, attempt, idempotencyKey: prepared.idempotencyKey };
      const answer = await this.#attempt(prepared, event, take);
      if (answer.status < 300) return answer;

      const retryAfter =
        parseRetryAfter(answer.headers.get('retry-after'), Date.now()) ?? retryAfterInBody(answer.text);
      const error = errorFrom(answer, retryAfter, pricingUrl);
      const wait = waitSeconds(attempt - 1, retryAfter, Math.random());
      if (!isRetryable(error) || attempt > maxRetries || wait > maxRetryAfterSeconds) throw error;
      hooks.onRetry?.({ ...event, waitSeconds: wait, error });
      await sleep(wait * 1000, prepared.signal);
    }
  }

  async #data<T>(call: Call, options: RequestOptions | undefined): Promise<T> {
    return (await this.send<T, unknown>(call, options)).data;
  }

  #prepare(
    { method, path, query = {}, body, headers, isStream = false, isSigned = false }: Call,
    options: RequestOptions,
  ): Prepared {
    const { baseUrl, credential, inCookie } = this.#settings;
    const { signal, timeoutMs = this.#settings.timeoutMs } = options;
    const sent = body === undefined || isBytes(body) ? body : JSON.stringify(body);
    if (isSigned)
      return { method, url: path, headers: headers ?? {}, body: sent, idempotencyKey: undefined, signal, timeoutMs };
    const organization = options.organization ?? this.#settings.organization;
    const isRead = method === 'GET' || method === 'HEAD';
    const idempotencyKey = isRead
      ? undefined
      : (options.idempotencyKey ?? (isStream ? undefined : newIdempotencyKey()));
    const parameters = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [value].flat().map((each) => [name, String(each)] as [string, string]),
    );
    return {
      method,
      url: `${baseUrl}${path}${parameters.length === 0 ? '' : `?${new URLSearchParams(parameters).toString()}`}`,
      headers: {
        accept: 'application/json',
        ...(body === undefined
          ? {}
          : { 'content-type': isBytes(body) ? 'application/octet-stream' : 'application/json' }),
        ...headers,
        ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
        ...(inCookie ? { 'x-service-session': 'cookie' } : {}),
        ...(organization === undefined ? {} : { 'x-service-org': organization }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...(options.dryRun === true && !isRead ? { 'dry-run': 'true' } : {}),
      },
      body: sent,
      idempotencyKey,
      signal,
      timeoutMs,
    };
  }

  async #attempt<A extends RawAnswer>(
    prepared: Prepared,
    event: RequestEvent,
    take: (opened: Opened) => Promise<A>,
  ): Promise<A> {
    const { fetch, hooks } = this.#settings;
    const { method, url, headers, body, signal, timeoutMs } = prepared;
    signal?.throwIfAborted();
    hooks.onRequest?.(event);
    const startMs = performance.now();
    const limit = limitTime(timeoutMs, signal);
    try {
      const response = await fetch(url, {
        method,
        headers: { ...headers },
        body: body ?? null,
        signal: limit.signal,
        // Node would keep all of a file that it sends, in case of a redirect.
        ...(body instanceof Blob && ({ redirect: 'error', window: null } as const)),
      });
      const answer = await take({ status: response.status, headers: response.headers, text: '', response, limit });
      this.#budget = budgetOf(answer.headers) ?? this.#budget;
      hooks.onResponse?.({
        ...event,
        status: answer.status,
        durationMs: performance.now() - startMs,
        requestId: answer.headers.get('x-request-id') ?? undefined,
      });
      return answer;
    } catch (error) {
      limit.release();
      throw error;
    }
  }

  async #read({ status, headers, response, limit }: Opened): Promise<RawAnswer> {
    const text = await textOf(response, limit.signal);
    limit.release();
    return { status, headers, text };
  }
}

/** Reads a body line by line. */
class LineReader implements OpenedStream {
  readonly headers: Headers;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #limit: Limit;

  constructor({ headers, body }: Response, limit: Limit) {
    this.headers = headers;
    this.#reader = body!.getReader();
    this.#limit = limit;
  }

  async *lines(): AsyncGenerator<string, void, undefined> {
    try {
      const decoder = new TextDecoder();
      let rest = '';
      for (let part = await this.#reader.read(); !part.done; part = await this.#reader.read()) {
        const lines = (rest + decoder.decode(part.value, { stream: true })).split('\n');
        rest = lines.pop()!;
        yield* lines;
      }
      if (rest !== '') yield rest;
    } finally {
      await this.close();
    }
  }

  async close(): Promise<void> {
    this.#limit.release();
    await this.#reader.cancel().catch(() => undefined);
  }
}

const isBytes = (body: object): body is Uint8Array<ArrayBuffer> | Blob =>
  body instanceof Uint8Array || body instanceof Blob;

/** If the body of an error response breaks off, its status is enough to create the error. */
async function textOf(response: Response, signal: AbortSignal): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    if (response.ok || signal.aborted) throw error;
    return '';
  }
}

function readAnswer<T, M>(answer: RawAnswer, pricingUrl: string): Answer<T, M> {
  if (answer.status === 204) return { data: undefined, meta: {} } as Answer<T, M>;
  const body = parsed(answer.text);
  if (!('data' in membersOf(body))) throw unreadableAnswer(answer, pricingUrl);
  return body as Answer<T, M>;
}

function budgetOf(headers: Headers): Budget | undefined {
  const tier = headers.get('x-service-tier');
  const limit = countIn(headers, 'x-service-calls-limit');
  const remaining = countIn(headers, 'x-service-calls-remaining');
  if (tier === null || limit === undefined || remaining === undefined) return undefined;
  const resetSeconds = countIn(headers, 'x-service-calls-reset');
  return {
    tier,
    limit,
    remaining,
    resetsAt: resetSeconds === undefined ? nextMidnight() : new Date(Date.now() + resetSeconds * 1000),
  };
}

function countIn(headers: Headers, name: string): number | undefined {
  const value = headers.get(name) ?? '';
  return /^\d+$/.test(value) ? Number(value) : undefined;
}

function nextMidnight(): Date {
  return new Date(new Date().setUTCHours(24, 0, 0, 0));
}

/** `AbortSignal.any` and `.timeout` are not used: older browsers lack them, and their timers outlive the call. */
function limitTime(timeoutMs: number, caller: AbortSignal | undefined): Limit {
  const controller = new AbortController();
  const follow = (): void => {
    controller.abort(caller?.reason);
  };
  caller?.addEventListener('abort', follow, { once: true });
  const timer = setTimeout(
    () => {
      controller.abort(new DOMException(`There was no complete response within ${timeoutMs} ms.`, 'TimeoutError'));
    },
    Math.min(timeoutMs, MAX_TIMER_MS),
  );
  return {
    signal: controller.signal,
    stopClock() {
      clearTimeout(timer);
    },
    release() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', follow);
    },
  };
}

/** Pages that were loaded over plain HTTP have no `randomUUID`. */
function newIdempotencyKey(): string {
  if (typeof (crypto as { randomUUID?: unknown }).randomUUID === 'function') return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
