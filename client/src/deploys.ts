import { ServiceError } from './errors.js';
import { type RequestOptions, sleep, type Transport } from './transport.js';
import type { Deploy, DeployEvent, DeployLogLine } from './types.js';

export interface LogOptions extends RequestOptions {
  /** Lines after this `seq` alone. */
  readonly after?: number | undefined;
  /** false: what there is now. By default lines come until the deploy is over. */
  readonly follow?: boolean | undefined;
}

/** A connection that breaks off so often without a further line is not taken up again. */
const MAX_BREAKS = 5;
const PAUSE_MS = 1_000;
/** No log has so many lines, so that what comes after this one is its end. */
const AFTER_ALL = 999_999_999;

/** What became, and becomes, of deploys. `projects.deploy` makes one. */
export class Deploys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** @throws {NotFoundError} `deploy_not_found`. */
  get(deployId: string, options?: RequestOptions): Promise<Deploy> {
    return this.#transport.get(pathOf(deployId), options);
  }

  /** What happened to it, the earliest first. */
  events(deployId: string, options?: RequestOptions): Promise<readonly DeployEvent[]> {
    return this.#transport.get(`${pathOf(deployId)}/events`, options);
  }

  /**
   * The lines of its log as they come, until it is over; a connection that breaks off is taken up again after the last
   * line. Returns the state it is in then.
   *
   * @throws {NotFoundError} `deploy_not_found`.
   */
  async *logs(
    deployId: string,
    { after = 0, follow = true, ...options }: LogOptions = {},
  ): AsyncGenerator<DeployLogLine, Deploy['state'], undefined> {
    for (let seq = after, breaks = 0; ;) {
      let fault: unknown = new TypeError('terminated');
      try {
        const headers = { accept: 'application/x-ndjson', 'last-event-id': String(seq) };
        for await (const text of this.#transport.lines(`${pathOf(deployId)}/logs?follow=${follow}`, headers, options)) {
          // An empty line only keeps the connection open.
          if (text === '') continue;
          const news = JSON.parse(text) as DeployLogLine | { readonly end: Pick<Deploy, 'state'> };
          if ('end' in news) return news.end.state;
          breaks = 0;
          seq = news.seq;
          yield news;
        }
      } catch (error) {
        if (error instanceof ServiceError || options.signal?.aborted === true) throw error;
        fault = error;
      }
      if (++breaks > MAX_BREAKS) throw fault;
      await sleep(PAUSE_MS, options.signal);
    }
  }

  /**
   * Waits until it is over, and resolves to what it is then: `state` is `ready` if all went well, else `error`,
   * `canceled` or `skipped`.
   */
  async waitUntilReady(deployId: string, options: RequestOptions = {}): Promise<Deploy> {
    for (;;) {
      for (const news = this.logs(deployId, { ...options, after: AFTER_ALL }); (await news.next()).done !== true;);
      const deploy = await this.get(deployId, options);
      if (deploy.finished_at !== undefined) return deploy;
      await sleep(PAUSE_MS, options.signal);
    }
  }

  /**
   * Ends a deploy that waits or is at work. Needs `deploys:write`.
   *
   * @throws {ConflictError} `deploy_already_over`.
   */
  cancel(deployId: string, options?: RequestOptions): Promise<Deploy> {
    return this.#transport.post(`${pathOf(deployId)}/cancel`, undefined, options);
  }

  /**
   * Deletes its files, and the hosts that lead to it; it stays in the list. Needs `deploys:write`.
   *
   * @throws {ConflictError} `deploy_in_use`.
   */
  delete(deployId: string, options?: RequestOptions): Promise<void> {
    return this.#transport.delete(pathOf(deployId), options);
  }

  /**
   * Makes it what production shows, without a build. Needs `deploys:write` and `deploys:production`.
   *
   * @throws {ConflictError} `deploy_not_ready`.
   * @throws {AuthorizationError} `feature_not_in_plan`.
   */
  promote(deployId: string, options?: RequestOptions): Promise<Deploy> {
    return this.#transport.post(`${pathOf(deployId)}/promote`, undefined, options);
  }
}

const pathOf = (deployId: string): string => `/api/v1/deploys/${encodeURIComponent(deployId)}`;
