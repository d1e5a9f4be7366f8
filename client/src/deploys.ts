import { methodsOf } from './methods.js';
import { PAUSE_MS, sleep } from './sleep.js';
import type { RequestOptions, Transport } from './transport.js';
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
export interface Deploys extends DeployCalls {
  /**
   * Yields the lines of the log as they arrive, until the deploy ends. If the connection breaks, it resumes after the
   * last line. Returns the final state.
   *
   * @throws {NotFoundError} `deploy_not_found`.
   */
  logs(deployId: string, options?: LogOptions): AsyncGenerator<DeployLogLine, Deploy['state'], undefined>;

  /**
   * Waits until the deploy ends, and resolves to it: `state` is `ready`, or else `error`, `canceled` or `skipped`.
   */
  waitUntilReady(deployId: string, options?: RequestOptions): Promise<Deploy>;
}

interface DeployCalls {
  /** @throws {NotFoundError} `deploy_not_found`. */
  get(deployId: string, options?: RequestOptions): Promise<Deploy>;

  /** Lists the events of a deploy, oldest first. */
  events(deployId: string, options?: RequestOptions): Promise<readonly DeployEvent[]>;

  /**
   * Cancels a deploy that is queued or running. Needs `deploys:write`.
   *
   * @throws {ConflictError} `deploy_already_over`.
   */
  cancel(deployId: string, options?: RequestOptions): Promise<Deploy>;

  /**
   * Deletes the files and hosts of a deploy; it stays in the list. Needs `deploys:write`.
   *
   * @throws {ConflictError} `deploy_in_use`.
   */
  delete(deployId: string, options?: RequestOptions): Promise<void>;

  /**
   * Promotes a ready deploy to production, without a build. Needs `deploys:write` and `deploys:production`.
   *
   * @throws {ConflictError} `deploy_not_ready`.
   * @throws {AuthorizationError} `feature_not_in_plan`.
   */
  promote(deployId: string, options?: RequestOptions): Promise<Deploy>;

  /**
   * Creates a link that opens this deploy, if it is protected, for anybody who has it. Needs `deploys:write`.
   *
   * @throws {NotFoundError} `deploy_not_found`.
   */
  share(deployId: string, link?: { readonly expires_in?: number }, options?: RequestOptions): Promise<AccessLink>;
}

export function deploysOf(transport: Transport): Deploys {
  const calls = methodsOf<DeployCalls>(transport, {
    get: 'get deploys/:',
    events: 'get deploys/:/events',
    cancel: 'post deploys/:/cancel -',
    delete: 'delete deploys/:',
    promote: 'post deploys/:/promote -',
    share: 'post deploys/:/share-links',
  });
  async function* logs(
    deployId: string,
    { after = 0, follow = true, ...options }: LogOptions = {},
  ): ReturnType<Deploys['logs']> {
    const path = `/api/v1/deploys/${encodeURIComponent(deployId)}/logs?follow=${follow}`;
    return (yield* transport.follow<DeployLogLine, Pick<Deploy, 'state'>>(path, after, options)).state;
  }
  return {
    ...calls,
    logs,
    async waitUntilReady(deployId, options = {}) {
      for (;;) {
        for (const news = logs(deployId, { ...options, after: AFTER_ALL }); (await news.next()).done !== true;);
        const deploy = await calls.get(deployId, options);
        if (deploy.finished_at !== undefined) return deploy;
        await sleep(PAUSE_MS, options.signal);
      }
    },
  };
}
