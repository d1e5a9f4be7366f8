import { Injectable } from '@nestjs/common';
import { RepositoriesSettings } from '../repositories.settings.js';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { PushReservationsStore } from '../persistence/push-reservations.store.js';
import { RepositoriesStore } from '../persistence/repositories.store.js';
import type { Repository } from '../persistence/repository.entity.js';
import { RepositoryFull, RepositoryNotFound, RepositoryRoomTaken } from '../repositories.errors.js';

/** The smallest usable room: every push takes some blocks of the disk. */
const LEAST_ROOM_BYTES = 65_536;
/** A push of unknown length leaves this share to concurrent pushes, which are mostly small. */
const LEFT_TO_OTHERS = 1 / 8;
/** Exceeds the longest possible push. */
const LIFETIME_MS = 31 * 60_000;

export interface PushClaim {
  readonly id: string;
  /** The announced length; undefined if there is none, as for every push above one mebibyte. */
  readonly announcedBytes: number | undefined;
}

/** Divides the free space of a repository among concurrent pushes, so that together they cannot exceed its limit. */
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
   * Reserves bytes for a push until {@link giveBack}, and returns their number.
   *
   * @throws {RepositoryFull} `repository_full`
   * @throws {RepositoryRoomTaken} `concurrency_limit_exceeded` when other pushes hold the remaining space.
   */
  take({ id: repositoryId, orgId }: Repository, { id, announcedBytes }: PushClaim): Promise<number> {
    return this.database.transaction(async () => {
      // The lock serializes the reservations of a repository.
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

  /** Releases a reservation. Call it when the size of the repository includes the push. */
  giveBack(id: string): Promise<void> {
    return this.reservations.remove(id);
  }
}
