import { PAUSE_MS, type RequestOptions, sleep, type Transport } from './transport.js';
import type { AccessLink, Deploy, DeployEvent, DeployLogLine } from './types.js';

export interface LogOptions extends RequestOptions {
  /** Returns only the lines after this `seq`. */
  readonly after?: number | undefined;
  /** Set it to false for the lines so far. By default, lines arrive until the deploy ends. */
  readonly follow?: boolean | undefined;
}

/** No log has this many lines, so the server answers a request for the lines after it with the end of the log. */
const AFTER_ALL = 999_999_999;

/** Deploys, their logs and their promotion. `projects.deploy` creates one. */
export class Deploys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** @throws {NotFoundError} `deploy_not_found`. */
  get(deployId: string, options?: RequestOptions): Promise<Deploy> {
    return this.#transport.get(pathOf(deployId), options);
  }

  /** Lists the events of a deploy, oldest first. */
  events(deployId: string, options?: RequestOptions): Promise<readonly DeployEvent[]> {
    return this.#transport.get(`${pathOf(deployId)}/events`, options);
  }

  /**
   * Yields the lines of the log as they arrive, until the deploy ends. If the connection breaks, it resumes after the
   * last line. Returns the final state.
   *
   * @throws {NotFoundError} `deploy_not_found`.
   */
  async *logs(
    deployId: string,
    { after = 0, follow = true, ...options }: LogOptions = {},
  ): AsyncGenerator<DeployLogLine, Deploy['state'], undefined> {
    const path = `${pathOf(deployId)}/logs?follow=${follow}`;
    return (yield* this.#transport.follow<DeployLogLine, Pick<Deploy, 'state'>>(path, after, options)).state;
  }

  /**
   * Waits until the deploy ends, and resolves to it: `state` is `ready`, or else `error`, `canceled` or `skipped`.
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
   * Cancels a deploy that is queued or running. Needs `deploys:write`.
   *
   * @throws {ConflictError} `deploy_already_over`.
   */
  cancel(deployId: string, options?: RequestOptions): Promise<Deploy> {
    return this.#transport.post(`${pathOf(deployId)}/cancel`, undefined, options);
  }

  /**
   * Deletes the files and hosts of a deploy; it stays in the list. Needs `deploys:write`.
   *
   * @throws {ConflictError} `deploy_in_use`.
   */
  delete(deployId: string, options?: RequestOptions): Promise<void> {
    return this.#transport.delete(pathOf(deployId), options);
  }

  /**
   * Promotes a ready deploy to production, without a build. Needs `deploys:write` and `deploys:production`.
   *
   * @throws {ConflictError} `deploy_not_ready`.
   * @throws {AuthorizationError} `feature_not_in_plan`.
   */
  promote(deployId: string, options?: RequestOptions): Promise<Deploy> {
    return this.#transport.post(`${pathOf(deployId)}/promote`, undefined, options);
  }

  /**
   * Creates a link that opens this deploy, if it is protected, for anybody who has it. Needs `deploys:write`.
   *
   * @throws {NotFoundError} `deploy_not_found`.
   */
  share(deployId: string, link: { readonly expires_in?: number } = {}, options?: RequestOptions): Promise<AccessLink> {
    return this.#transport.post(`${pathOf(deployId)}/share-links`, link, options);
  }
}

const pathOf = (deployId: string): string => `/api/v1/deploys/${encodeURIComponent(deployId)}`;
