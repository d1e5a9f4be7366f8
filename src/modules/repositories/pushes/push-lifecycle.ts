import type { Writable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import { StorageRoom } from '../../../platform/storage/storage-room.js';
import type { Repository } from '../persistence/repository.entity.js';
import { PushAnswer, type PushEnd } from './push-answer.js';
import { type PushClaim, PushRoom } from './push-room.js';
import { PushedCommits } from './pushed-commits.js';
import { PushesService, type SeenPush } from './pushes.service.js';

/** Accepts a push while there is space for it, and records its changes at the end. */
@Injectable()
export class PushLifecycle {
  constructor(
    private readonly room: PushRoom,
    private readonly pushes: PushesService,
    private readonly commits: PushedCommits,
    private readonly answers: PushAnswer,
    private readonly storage: StorageRoom,
    private readonly log: Log,
  ) {}

  /**
   * Refuses a push before anything of it is read.
   *
   * @throws {StorageUnavailable} `storage_unavailable`
   * @throws {RepositoryFull} `repository_full`
   */
  requireRoom(repository: Repository): void {
    this.storage.require();
    this.room.requireSome(repository);
  }

  /**
   * Reserves space for the push until {@link finish}, and returns the number of bytes.
   *
   * @throws {RepositoryFull} `repository_full`
   * @throws {RepositoryRoomTaken} `concurrency_limit_exceeded` when other pushes hold the remaining space.
   */
  async begin(repository: Repository, userId: string, claim: PushClaim): Promise<number> {
    const maxInputBytes = await this.room.take(repository, claim);
    if (maxInputBytes > 0) await this.pushes.begin(repository, userId);
    return maxInputBytes;
  }

  /** Sends the answer of git and what the push has started, see {@link PushAnswer.send}. */
  answer(destination: Writable, end: PushEnd, signal: AbortSignal): Promise<void> {
    return this.answers.send(destination, end, signal);
  }

  /**
   * Records the changes, releases the reservation, and returns what has changed, if that is known. Never throws,
   * because the push itself has ended.
   */
  async finish(repository: Repository, userId: string, holder: string): Promise<SeenPush | undefined> {
    const seen = await this.see(repository, userId);
    if (seen !== 'unknown') await this.giveBackRoom(holder);
    return seen === 'unknown' ? undefined : seen;
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
  private async see(repository: Repository, userId: string): Promise<SeenPush | undefined | 'unknown'> {
    try {
      const seen = await this.pushes.see(repository, userId);
      if (seen !== undefined) await this.commits.describe(repository.id, seen.branches);
      return seen;
    } catch (error) {
      this.log.error({ error, repositoryId: repository.id }, 'The changes of a push could not be recorded yet.');
      return 'unknown';
    }
  }
}
