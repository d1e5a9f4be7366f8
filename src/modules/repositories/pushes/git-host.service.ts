import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { CallerHungUp } from '../../../platform/errors/caller-hung-up.js';
import { ServiceUnavailable } from '../../../platform/errors/platform.errors.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Log } from '../../../platform/logging/log.js';
import type { Call } from '../../auth/caller.js';
import { ConcurrencyLimitService } from '../../limits/concurrency-limit.service.js';
import { Directories } from '../git/directories.service.js';
import { type GitAnswer, GitBackend, type GitExchange } from '../git/git-backend.js';
import { GitPlaces } from '../git/git-places.js';
import { RepositoriesStore } from '../persistence/repositories.store.js';
import type { Repository } from '../persistence/repository.entity.js';
import { RepositoriesMetrics } from '../repositories.metrics.js';
import { RepositoryFull, RepositoryNotFound, TooManyGitCalls } from '../repositories.errors.js';
import { isRepositoryName } from '../repository-name.js';
import { PushesService } from './pushes.service.js';

/** Of one organization; a clone takes one for its whole length. */
const PLACES = { name: 'git', places: 16, lifetimeMs: 31 * 60_000 };
/** Less room than this is none: the smallest push takes some blocks of the disk. */
const LEAST_ROOM_BYTES = 65_536;
const BUSY_RETRY_SECONDS = 5;

export interface GitCall extends Pick<GitExchange, 'service' | 'protocol' | 'body' | 'signal'> {
  /** Slug or id, as the path says it. */
  readonly org: string;
  readonly name: string;
}

/** Answers git: clones, fetches and pushes. */
@Injectable()
export class GitHost {
  constructor(
    private readonly config: Config,
    private readonly repositories: RepositoriesStore,
    private readonly directories: Directories,
    private readonly backend: GitBackend,
    private readonly pushes: PushesService,
    private readonly places: GitPlaces,
    private readonly concurrency: ConcurrencyLimitService,
    private readonly ids: Ids,
    private readonly metrics: RepositoriesMetrics,
    private readonly log: Log,
  ) {}

  /**
   * The answer, of which the caller must send or stop the rest.
   *
   * @throws {RepositoryNotFound} `repository_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {RepositoryFull} `repository_full`
   * @throws {TooManyGitCalls} `concurrency_limit_exceeded`
   * @throws {ServiceUnavailable} `service_unavailable`: this process has as much to do as it may.
   */
  async answer(call: Call, asked: GitCall): Promise<GitAnswer> {
    const repository = await this.find(call, asked);
    const isPush = asked.service === 'git-receive-pack';
    const maxInputBytes = this.config.repositoryMaxBytes - repository.sizeBytes;
    if (isPush && maxInputBytes < LEAST_ROOM_BYTES) throw new RepositoryFull(this.config.repositoryMaxBytes);

    const holder = this.ids.next('job');
    await this.takePlaces(repository.orgId, holder);
    const userId = call.principal.user.id;
    const count = this.metrics.began(asked.service);
    const over = async (failed: boolean): Promise<void> => {
      count(asked.signal.aborted ? 'left' : failed ? 'failed' : 'done');
      if (isPush && asked.body !== undefined) await this.see(repository, userId);
      this.places.giveBack();
      await this.concurrency.end(PLACES, repository.orgId, holder);
    };
    try {
      await this.directories.ensure(repository);
      if (isPush && asked.body !== undefined) await this.pushes.begin(repository, userId);
      const answer = await this.backend.open({ ...asked, repositoryId: repository.id, userId, maxInputBytes });
      return withEnd(answer, over);
    } catch (error) {
      await over(true);
      throw asked.signal.aborted ? new CallerHungUp() : error;
    }
  }

  private async takePlaces(orgId: string, holder: string): Promise<void> {
    if (!await this.concurrency.take(PLACES, orgId, holder)) throw new TooManyGitCalls(PLACES.places);
    if (this.places.take()) return;
    await this.concurrency.end(PLACES, orgId, holder);
    throw new ServiceUnavailable(new Error(`All ${this.places.count} places for programs of git are taken.`), BUSY_RETRY_SECONDS);
  }

  private async find({ principal }: Call, { org, name, service }: GitCall): Promise<Repository> {
    const membership = principal.membershipIn(org);
    const repository = membership === undefined || !isRepositoryName(name) ? null : await this.repositories.findByName(membership.id, name);
    if (repository === null) throw new RepositoryNotFound();
    principal.require(service === 'git-receive-pack' ? 'repositories:write' : 'repositories:read', repository.orgId);
    return repository;
  }

  /** The push is done whatever comes of this; what cannot be seen now, the sweeper sees later. */
  private async see(repository: Repository, userId: string): Promise<void> {
    try {
      await this.pushes.see(repository, userId);
    } catch (error) {
      this.log.error({ error, repositoryId: repository.id }, 'What was pushed could not be seen yet.');
    }
  }
}

/** The answer, whose end is not told before `over` is done: whoever has pushed finds that it has been seen. */
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
