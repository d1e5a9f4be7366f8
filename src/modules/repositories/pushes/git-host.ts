import { Injectable } from '@nestjs/common';
import { CallerHungUp } from '../../../platform/errors/caller-hung-up.js';
import { ServiceUnavailable } from '../../../platform/errors/platform.errors.js';
import { Ids } from '../../../platform/ids/ids.js';
import { JOB_ID } from '../../../platform/ids/platform.ids.js';
import { Log } from '../../../platform/logging/log.js';
import { StorageRoom } from '../../../platform/storage/storage-room.js';
import type { Call } from '../../auth/caller.js';
import { ConcurrencyLimitService } from '../../limits/concurrency-limit.service.js';
import { Directories } from '../git/directories.js';
import { type GitAnswer, GitBackend, type GitExchange } from '../git/git-backend.js';
import { GitPlaces } from '../git/git-places.js';
import { RepositoriesStore } from '../persistence/repositories.store.js';
import type { Repository } from '../persistence/repository.entity.js';
import { RepositoriesMetrics } from '../metrics/repositories.metrics.js';
import { RepositoryNotFound, TooManyGitCalls } from '../repositories.errors.js';
import { isRepositoryName } from '../domain/repository-name.js';
import { PushRoom } from './push-room.js';
import { PushesService } from './pushes.service.js';

/** The git requests of one organization. A clone holds its place from start to end. */
const PLACES = { name: 'git', places: 16, lifetimeMs: 31 * 60_000 };
const BUSY_RETRY_SECONDS = 5;

export interface GitCall extends Pick<GitExchange, 'service' | 'protocol' | 'body' | 'signal'> {
  /** The slug or id in the path. */
  readonly org: string;
  readonly name: string;
}

/** Serves git: clones, fetches and pushes. */
@Injectable()
export class GitHost {
  constructor(
    private readonly room: PushRoom,
    private readonly repositories: RepositoriesStore,
    private readonly directories: Directories,
    private readonly backend: GitBackend,
    private readonly pushes: PushesService,
    private readonly places: GitPlaces,
    private readonly concurrency: ConcurrencyLimitService,
    private readonly storage: StorageRoom,
    private readonly ids: Ids,
    private readonly metrics: RepositoriesMetrics,
    private readonly log: Log,
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
    if (isPush) {
      this.storage.require();
      this.room.requireSome(repository);
    }

    const holder = this.ids.next(JOB_ID);
    await this.takePlaces(repository.orgId, holder);
    const userId = call.principal.user.id;
    const count = this.metrics.began(asked.service);
    const over = async (failed: boolean): Promise<void> => {
      count(asked.signal.aborted ? 'left' : failed ? 'failed' : 'done');
      if (isPush && asked.body !== undefined && (await this.see(repository, userId))) await this.giveBackRoom(holder);
      this.places.giveBack();
      await this.concurrency.end(PLACES, repository.orgId, holder);
    };
    try {
      await this.directories.ensure(repository);
      const maxInputBytes =
        isPush && asked.body !== undefined
          ? await this.room.take(repository, { id: holder, announcedBytes: asked.body.bytes })
          : 0;
      if (maxInputBytes > 0) await this.pushes.begin(repository, userId);
      const answer = await this.backend.open({ ...asked, repositoryId: repository.id, userId, maxInputBytes });
      return withEnd(answer, over);
    } catch (error) {
      await over(true);
      throw asked.signal.aborted ? new CallerHungUp() : error;
    }
  }

  private async takePlaces(orgId: string, holder: string): Promise<void> {
    if (!(await this.concurrency.take(PLACES, orgId, holder))) throw new TooManyGitCalls(PLACES.places);
    if (this.places.take()) return;
    await this.concurrency.end(PLACES, orgId, holder);
    throw new ServiceUnavailable(
      new Error(`All ${this.places.count} places for programs of git are taken.`),
      BUSY_RETRY_SECONDS,
    );
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

  /** A reservation that cannot be released now expires. */
  private async giveBackRoom(holder: string): Promise<void> {
    await this.room.giveBack(holder).catch((error: unknown) => {
      this.log.warn({ error }, 'The reservation of a push could not be released; it expires.');
    });
  }

  /**
   * The push has succeeded, even if its changes cannot be recorded now. The sweeper records them later, and until then
   * the reservation stays.
   */
  private async see(repository: Repository, userId: string): Promise<boolean> {
    try {
      await this.pushes.see(repository, userId);
      return true;
    } catch (error) {
      this.log.error({ error, repositoryId: repository.id }, 'The changes of a push could not be recorded yet.');
      return false;
    }
  }
}

/**
 * Delays the end of the answer until `over` is done, so that the changes of a push are recorded when its caller
 * continues.
 */
function withEnd(answer: GitAnswer, over: (failed: boolean) => Promise<void>): GitAnswer {
  let done: Promise<void> | undefined;
  const once = (failed: boolean): Promise<void> => (done ??= over(failed));
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
