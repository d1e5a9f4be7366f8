import type { Writable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { CallerHungUp } from '../../../platform/errors/caller-hung-up.js';
import { Ids } from '../../../platform/ids/ids.js';
import { JOB_ID } from '../../../platform/ids/platform.ids.js';
import type { Call } from '../../auth/caller.js';
import { Directories } from '../git/directories.js';
import { type GitAnswer, GitBackend, type GitExchange } from '../git/git-backend.js';
import { PushRequest } from '../git/push-request.js';
import type { PushReport } from '../push-reporters.js';
import { RepositoriesStore } from '../persistence/repositories.store.js';
import type { Repository } from '../persistence/repository.entity.js';
import { RepositoriesMetrics } from '../metrics/repositories.metrics.js';
import { RepositoryNotFound } from '../repositories.errors.js';
import { isRepositoryName } from '../domain/repository-name.js';
import { GitSlots } from './git-slots.js';
import { PushLifecycle } from './push-lifecycle.js';
import type { SeenPush } from './pushes.service.js';

export interface GitCall extends Pick<GitExchange, 'service' | 'protocol' | 'body' | 'signal'> {
  /** The slug or id in the path. */
  readonly org: string;
  readonly name: string;
}

/** Serves git: clones, fetches and pushes. */
@Injectable()
export class GitHost {
  constructor(
    private readonly repositories: RepositoriesStore,
    private readonly directories: Directories,
    private readonly backend: GitBackend,
    private readonly pushes: PushLifecycle,
    private readonly slots: GitSlots,
    private readonly ids: Ids,
    private readonly metrics: RepositoriesMetrics,
  ) {}

  /**
   * Opens the answer. The caller must send it or stop it.
   *
   * @throws {RepositoryNotFound} `repository_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {RepositoryFull} `repository_full`
   * @throws {TooManyGitCalls} {@link RepositoryRoomTaken} `concurrency_limit_exceeded`
   * @throws {StorageUnavailable} `storage_unavailable`
   * @throws {ServiceUnavailable} `service_unavailable`: this process has as much to do as it may.
   */
  async answer(call: Call, asked: GitCall): Promise<GitAnswer> {
    const repository = await this.find(call, asked);
    const isPush = asked.service === 'git-receive-pack';
    if (isPush) this.pushes.requireRoom(repository);

    const holder = this.ids.next(JOB_ID);
    await this.slots.take(repository.orgId, holder);
    const userId = call.principal.user.id;
    const count = this.metrics.began(asked.service);
    const over = async (failed: boolean): Promise<SeenPush | undefined> => {
      count(asked.signal.aborted ? 'left' : failed ? 'failed' : 'done');
      const seen =
        isPush && asked.body !== undefined ? await this.pushes.finish(repository, userId, holder) : undefined;
      await this.slots.release(repository.orgId, holder);
      return seen;
    };
    try {
      await this.directories.ensure(repository);
      const maxInputBytes =
        isPush && asked.body !== undefined
          ? await this.pushes.begin(repository, userId, { id: holder, announcedBytes: asked.body.bytes })
          : 0;
      const push = isPush && asked.body !== undefined ? new PushRequest() : undefined;
      const exchange = { ...asked, repositoryId: repository.id, userId, maxInputBytes };
      const answer = await this.backend.open({ ...exchange, ...(push === undefined ? {} : { onInput: push.see }) });
      return push === undefined
        ? withEnd(answer, over)
        : this.withReport(answer, over, { call, repository, push, asked });
    } catch (error) {
      await over(true);
      throw asked.signal.aborted ? new CallerHungUp() : error;
    }
  }

  /** Lets the answer of a push end with what the push has started, for callers who may see deploys. */
  private withReport(
    answer: GitAnswer,
    over: End,
    {
      call,
      repository: { orgId },
      push,
      asked,
    }: { call: Call; repository: Repository; push: PushRequest; asked: GitCall },
  ): GitAnswer {
    const once = onlyOnce(over);
    const record = async (): Promise<PushReport | undefined> => {
      const seen = await once(false);
      const isTold =
        seen !== undefined && seen.branches.length > 0 && call.principal.rightsIn(orgId).has('deploys:read');
      return isTold ? { ...seen, orgId, wait: push.options.includes('wait') } : undefined;
    };
    const sendTo = (destination: Writable): Promise<void> =>
      this.pushes.answer(destination, { answer: (to) => answer.sendTo(to), record }, asked.signal);
    return withEnd({ ...answer, sendTo }, once);
  }

  private async find({ principal }: Call, { org, name, service }: GitCall): Promise<Repository> {
    const membership = principal.membershipIn(org);
    const repository =
      membership === undefined || !isRepositoryName(name)
        ? null
        : await this.repositories.findByName(membership.id, name);
    if (repository === null) throw new RepositoryNotFound();
    principal.require(service === 'git-receive-pack' ? 'repositories:write' : 'repositories:read', repository.orgId);
    return repository;
  }
}

type End = (failed: boolean) => Promise<SeenPush | undefined>;

function onlyOnce(over: End): End {
  let done: Promise<SeenPush | undefined> | undefined;
  return (failed) => (done ??= over(failed));
}

/**
 * Delays the end of the answer until `over` is done, so that the changes of a push are recorded when its caller
 * continues.
 */
function withEnd(answer: GitAnswer, over: End): GitAnswer {
  const once = onlyOnce(over);
  return {
    ...answer,
    sendTo: async (destination) => {
      try {
        await answer.sendTo(destination);
      } catch (error) {
        await answer.stop();
        await once(true);
        throw error;
      }
      await once(false);
    },
    stop: async () => {
      await answer.stop();
      await once(true);
    },
  };
}
