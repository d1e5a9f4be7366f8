import { Pool } from 'undici';
import type { RouterResponse } from './model-router.js';

/** How long a router may take, in milliseconds. */
export interface RouterTimeLimits {
  readonly connect: number;
  /** From the request to the head of the response. */
  readonly firstByte: number;
  /** Between two pieces of the body. */
  readonly idle: number;
  readonly whole: number;
}

export const ROUTER_TIME_LIMITS: RouterTimeLimits = {
  connect: 10_000,
  firstByte: 60_000,
  idle: 120_000,
  whole: 15 * 60_000,
};

/** Enough for ten thousand models. */
const MAX_JSON_BYTES = 16 * 1_048_576;
const MAX_RETRY_AFTER_SECONDS = 86_400;

interface ConnectionSettings {
  /** Where the routes of the router begin, without a trailing slash. */
  readonly url: string;
  /** The headers that carry a key. */
  readonly authorize: (key: string) => Readonly<Record<string, string>>;
  readonly apiKey: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly limits?: RouterTimeLimits;
}

interface Sent {
  readonly body: Buffer;
  /** Replaces the key of the settings. */
  readonly apiKey?: string | undefined;
}

/**
 * HTTP to one router, over connections that are kept. It follows no redirect, because that would send keys elsewhere.
 * The address may be private: only the operator sets it, and a model server often runs on the same machine.
 */
export class RouterConnection {
  private readonly pool: Pool;
  private readonly path: string;
  private readonly limits: RouterTimeLimits;

  constructor(private readonly settings: ConnectionSettings) {
    const { origin, pathname } = new URL(settings.url);
    this.limits = settings.limits ?? ROUTER_TIME_LIMITS;
    this.path = pathname.replace(/\/$/, '');
    this.pool = new Pool(origin, {
      connect: { timeout: this.limits.connect },
      headersTimeout: this.limits.firstByte,
      bodyTimeout: this.limits.idle,
      keepAliveTimeout: 30_000,
      // A connection carries one request at a time: a long stream would hold up what waits behind it.
      pipelining: 1,
    });
  }

  /** @throws {Error} when there is no response. */
  async post(path: string, { body, apiKey }: Sent, signal: AbortSignal): Promise<RouterResponse> {
    const ending = this.endWith(signal);
    try {
      const response = await this.pool.request({
        method: 'POST',
        path: this.path + path,
        headers: { 'content-type': 'application/json', ...this.headersFor(apiKey) },
        body,
        signal: ending.signal,
      });
      response.body.once('close', ending.clear);
      return {
        status: response.statusCode,
        contentType: first(response.headers['content-type']) ?? '',
        retryAfterSeconds: retryAfterOf(first(response.headers['retry-after'])),
        generationId: first(response.headers['x-generation-id']),
        body: response.body,
      };
    } catch (error) {
      ending.clear();
      throw error;
    }
  }

  /**
   * Returns the JSON of an address, or undefined when it answers 404. `apiKey` replaces the key of the settings.
   *
   * @throws {Error} for any other failure.
   */
  async get(path: string, signal: AbortSignal, apiKey?: string): Promise<unknown> {
    const { statusCode, body } = await this.pool.request({
      method: 'GET',
      path: this.path + path,
      headers: this.headersFor(apiKey),
      signal,
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body) {
      bytes += (chunk as Buffer).length;
      if (bytes > MAX_JSON_BYTES) throw new Error(`The router answered GET ${path} with more than 16 MiB.`);
      chunks.push(chunk as Buffer);
    }
    if (statusCode === 404) return undefined;
    if (statusCode !== 200) throw new Error(`The router answered GET ${path} with status ${statusCode}.`);
    try {
      return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
    } catch {
      throw new Error(`The router answered GET ${path} with something other than JSON.`);
    }
  }

  close(): Promise<void> {
    return this.pool.destroy();
  }

  private headersFor(apiKey: string | undefined): Record<string, string> {
    const key = apiKey ?? this.settings.apiKey;
    return { ...this.settings.headers, ...(key === undefined ? {} : this.settings.authorize(key)) };
  }

  /** Ends a request with its caller, or when it takes too long as a whole. */
  private endWith(signal: AbortSignal): { signal: AbortSignal; clear: () => void } {
    const controller = new AbortController();
    const abort = (): void => {
      controller.abort(signal.reason);
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    const timer = setTimeout(() => {
      controller.abort(new Error('The router took longer than a response may take.'));
    }, this.limits.whole).unref();
    const clear = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
    return { signal: controller.signal, clear };
  }
}

const first = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

/** Routers send whole seconds. A date or anything else is ignored. */
function retryAfterOf(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,9}$/.test(header)
    ? Math.min(Number(header), MAX_RETRY_AFTER_SECONDS)
    : undefined;
}
