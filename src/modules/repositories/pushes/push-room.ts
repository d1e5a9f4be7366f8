import { Injectable } from '@nestjs/common';
import { RepositoriesSettings } from '../repositories.settings.js';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { PushReservationsStore } from '../persistence/push-reservations.store.js';
import { RepositoriesStore } from '../persistence/repositories.store.js';
import type { Repository } from '../persistence/repository.entity.js';
import { RepositoryFull, RepositoryNotFound, RepositoryRoomTaken } from '../repositories.errors.js';

/** Less room than this is none: the smallest push takes some blocks of the disk. */
const LEAST_ROOM_BYTES = 65_536;
/** A push of unknown length leaves this share of the room to those beside it, which are mostly small. */
const LEFT_TO_OTHERS = 1 / 8;
/** Longer than a push can take. */
const LIFETIME_MS = 31 * 60_000;

export interface PushClaim {
  readonly id: string;
  /** What git announced; undefined where it did not, as for every push above a mebibyte. */
  readonly announcedBytes: number | undefined;
}

/** Shares the room of a repository among pushes at the same time, so that together they cannot pass its limit. */
@Injectable()
export class PushRoom {
  constructor(
    private readonly settings: RepositoriesSettings,
    private readonly database: Database,
    private readonly repositories: RepositoriesStore,
    private readonly reservations: PushReservationsStore,
    private readonly clock: Clock,
  ) {}

  /** @throws {RepositoryFull} `repository_full` */
  requireSome({ sizeBytes }: Repository): void {
    if (this.settings.maxBytes - sizeBytes < LEAST_ROOM_BYTES) throw new RepositoryFull(this.settings.maxBytes);
  }

  /**
   * How many bytes this push may bring, which are its own until {@link giveBack}.
   *
   * @throws {RepositoryFull} `repository_full`
   * @throws {RepositoryRoomTaken} `concurrency_limit_exceeded`: other pushes have the room that is left.
   */
  take({ id: repositoryId, orgId }: Repository, { id, announcedBytes }: PushClaim): Promise<number> {
    return this.database.transaction(async () => {
      // The lock makes pushes to one repository take their room one after the other.
      const repository = await this.repositories.findForChange(repositoryId, [orgId]);
      if (repository === null) throw new RepositoryNotFound();
      this.requireSome(repository);
      const now = this.clock.now();
      const reserved = await this.reservations.reservedBytes(repositoryId, now);
      const room = this.settings.maxBytes - repository.sizeBytes - reserved;
      const wanted = Math.max(LEAST_ROOM_BYTES, announcedBytes ?? Math.floor(room * (1 - LEFT_TO_OTHERS)));
      if (room < LEAST_ROOM_BYTES || (reserved > 0 && wanted > room)) throw new RepositoryRoomTaken(reserved);
      const bytes = Math.min(wanted, room);
      await this.reservations.add({ id, repositoryId, bytes, expiresAt: new Date(now.getTime() + LIFETIME_MS) });
      return bytes;
    });
  }

  /** To be called when what was pushed is part of the repository's known size. */
  giveBack(id: string): Promise<void> {
    return this.reservations.remove(id);
  }
}
