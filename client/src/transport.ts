import {
  errorFrom,
  membersOf,
  parsed,
  type RawAnswer,
  retryAfterInBody,
  type ServiceError,
  unreadableAnswer,
} from './errors.js';
import { Listing, type ListQuery, type Page } from './page.js';
import { isRetryable, parseRetryAfter, waitSeconds } from './retry.js';

/** What can be said of any call. */
export interface RequestOptions {
  /** Ends the call, also while it waits between attempts. The call then fails with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Longest time of one attempt, until the whole answer is read, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Of writes only. Calls with the same key and body are done once; by default each call has a fresh one. */
  readonly idempotencyKey?: string | undefined;
  /** Of writes only: checks, authorizes and prices the call, and changes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Id or slug of the organization that the call is for. */
  readonly organization?: string | undefined;
  /** Attempts after the first. */
  readonly maxRetries?: number | undefined;
}

/** What is left of the daily budget, from the answer that came last. */
export interface Budget {
  /** Plan of the caller: `free`, `builder`, `pro`, `enterprise` or `anonymous`. */
  readonly tier: string;
  /** Calls of a day. Plans without a limit have 2147483647. */
  readonly limit: number;
  readonly remaining: number;
  /** The next 00:00 UTC, to about a second. */
  readonly resetsAt: Date;
}

export interface RequestEvent {
  readonly method: string;
  readonly url: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** The same on each attempt of one call; undefined for reads. */
  readonly idempotencyKey: string | undefined;
}

export interface ResponseEvent extends RequestEvent {
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string | undefined;
}

export interface RetryEvent extends RequestEvent {
  readonly waitSeconds: number;
  /** What the call would fail with if it were not tried again. */
  readonly error: ServiceError;
}

/**
 * Called as a call goes on, for logs and metrics. Credentials and bodies are not shown. A hook that throws fails the
 * call.
 */
export interface Hooks {
  /** Before each attempt. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  /** After each attempt that was answered, whatever the status. */
  readonly onResponse?: ((event: ResponseEvent) => void) | undefined;
  /** Before each wait for another attempt. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
}

/** What a client is made of, with all defaults filled in. */
export interface Settings {
  readonly baseUrl: string;
  /** Key or session token; undefined sends none. */
  readonly credential: string | undefined;
  readonly organization: string | undefined;
  readonly pricingUrl: string;
  readonly maxRetries: number;
  readonly maxRetryAfterSeconds: number;
  readonly timeoutMs: number;
  readonly fetch: typeof fetch;
  readonly hooks: Hooks;
}

/** The envelope of every success. */
export interface Answer<T, M = { readonly request_id: string }> {
  readonly data: T;
  readonly meta: M;
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Query | undefined;
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer whose body is still to come. */
interface Opened extends RawAnswer {
  readonly response: Response;
  /** Ends the reading with the caller's signal; to be released when it is over. */
  readonly limit: Limit;
}

interface Limit {
  readonly signal: AbortSignal;
  /** From now on only the caller ends it. */
  stopClock(): void;
  release(): void;
}

/** A call with its headers, the same for all attempts: above all the idempotency key. */
interface Prepared {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
}

/** Longer waits make timers fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** Carries calls to the API: credentials, time limits, retries, and what failed answers become. */
export class Transport {
  // Private to the engine, so that printing a client shows no credential.
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

  list<T>(path: string, query: ListQuery = {}, options?: RequestOptions): Listing<T> {
    const fetchPage = (cursor: string | undefined): Promise<Page<T>> =>
      this.send<readonly T[], Page<T>['meta']>({ method: 'GET', path, query: { ...query, cursor } }, options);
    return new Listing(fetchPage, query.cursor);
  }

  /** @throws {ServiceError} once the answer is a failure that another attempt would not mend, or none is left. */
  async send<T, M>(call: Call, options: RequestOptions = {}): Promise<Answer<T, M>> {
    return readAnswer(await this.#tried(call, options, (opened) => this.#read(opened)), this.#settings.pricingUrl);
  }

  /**
   * The lines of a long answer as they come. `timeoutMs` bounds the wait for its beginning; one that breaks off is not
   * tried again here.
   *
   * @throws {ServiceError} as {@link send}.
   */
  async *lines(
    path: string,
    headers: Readonly<Record<string, string>>,
    options: RequestOptions = {},
  ): AsyncGenerator<string, void, undefined> {
    const { response, limit } = await this.#tried({ method: 'GET', path, headers }, options, async (opened) => {
      if (!opened.response.ok) return { ...opened, text: await this.#read(opened).then(({ text }) => text) };
      opened.limit.stopClock();
      return opened;
    });
    const reader = response.body!.getReader();
    try {
      const decoder = new TextDecoder();
      let rest = '';
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        const lines = (rest + decoder.decode(part.value, { stream: true })).split('\n');
        rest = lines.pop()!;
        yield* lines;
      }
      if (rest !== '') yield rest;
    } finally {
      limit.release();
      await reader.cancel().catch(() => undefined);
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
    for (let attempt = 1; ; attempt++) {
      const event = { method: prepared.method, url: prepared.url, attempt, idempotencyKey: prepared.idempotencyKey };
      const answer = await this.#attempt(prepared, event, take);
      if (answer.status < 300) return answer;

      const retryAfter =
        parseRetryAfter(answer.headers.get('retry-after'), Date.now()) ?? retryAfterInBody(answer.text);
      const error = errorFrom(answer, retryAfter, pricingUrl);
      const wait = waitSeconds(attempt - 1, retryAfter, Math.random());
      if (!isRetryable(answer.status) || attempt > maxRetries || wait > maxRetryAfterSeconds) throw error;
      hooks.onRetry?.({ ...event, waitSeconds: wait, error });
      await sleep(wait * 1000, prepared.signal);
    }
  }

  async #data<T>(call: Call, options: RequestOptions | undefined): Promise<T> {
    return (await this.send<T, unknown>(call, options)).data;
  }

  #prepare({ method, path, query = {}, body, headers }: Call, options: RequestOptions): Prepared {
    const { baseUrl, credential } = this.#settings;
    const organization = options.organization ?? this.#settings.organization;
    const idempotencyKey = method === 'GET' ? undefined : (options.idempotencyKey ?? freshKey());
    const parameters = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    );
    return {
      method,
      url: `${baseUrl}${path}${parameters.length === 0 ? '' : `?${new URLSearchParams(parameters).toString()}`}`,
      headers: {
        accept: 'application/json',
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
        ...(organization === undefined ? {} : { 'x-service-org': organization }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...(options.dryRun === true && method !== 'GET' ? { 'dry-run': 'true' } : {}),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      idempotencyKey,
      signal: options.signal,
      timeoutMs: options.timeoutMs ?? this.#settings.timeoutMs,
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
      const response = await fetch(url, { method, headers: { ...headers }, body: body ?? null, signal: limit.signal });
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

/** The status of a failure is known before its body, and says enough if that breaks off. */
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

/** Not `AbortSignal.any` and `.timeout`: older browsers lack them, and their timers outlive the call. */
function limitTime(timeoutMs: number, caller: AbortSignal | undefined): Limit {
  const controller = new AbortController();
  const follow = (): void => {
    controller.abort(caller?.reason);
  };
  caller?.addEventListener('abort', follow, { once: true });
  const timer = setTimeout(
    () => {
      controller.abort(new DOMException(`There was no whole answer within ${timeoutMs} ms.`, 'TimeoutError'));
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

/** @throws the reason of the signal, as soon as it aborts. */
export function sleep(durationMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      clearTimeout(timer);
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- The caller's own reason, unchanged.
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', leave);
        resolve();
        // Timers may fire up to a millisecond early, and nobody shall come back before Retry-After.
      },
      Math.min(Math.ceil(durationMs) + 1, MAX_TIMER_MS),
    );
    if (signal?.aborted === true) leave();
    else signal?.addEventListener('abort', leave, { once: true });
  });
}

/** Pages that came over plain HTTP have no `randomUUID`. */
function freshKey(): string {
  if (typeof (crypto as { randomUUID?: unknown }).randomUUID === 'function') return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
