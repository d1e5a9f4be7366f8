import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

export interface PushReservation {
  readonly id: string;
  readonly repositoryId: string;
  readonly bytes: number;
  readonly expiresAt: Date;
}

/** Stores the space that running pushes have reserved. */
@Injectable()
export class PushReservationsStore {
  constructor(private readonly database: Database) {}

  /** Returns the reserved bytes of a repository. Reservations of dead processes expire. */
  async reservedBytes(repositoryId: string, now: Date): Promise<number> {
    const { manager } = this.database;
    await manager.query('DELETE FROM push_reservations WHERE repository_id = $1 AND expires_at <= $2', [
      repositoryId,
      now,
    ]);
    const [row] = await manager.query<{ bytes: string }[]>(
      'SELECT coalesce(sum(bytes), 0) AS bytes FROM push_reservations WHERE repository_id = $1',
      [repositoryId],
    );
    return Number(row!.bytes);
  }

  async add({ id, repositoryId, bytes, expiresAt }: PushReservation): Promise<void> {
    await this.database.manager.query(
      'INSERT INTO push_reservations (id, repository_id, bytes, expires_at) VALUES ($1, $2, $3, $4)',
      [id, repositoryId, bytes, expiresAt],
    );
  }

  async remove(id: string): Promise<void> {
    await this.database.manager.query('DELETE FROM push_reservations WHERE id = $1', [id]);
  }
}
