import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** Blobs that no row names any more. */
@Injectable()
export class DoomedBlobsStore {
  constructor(private readonly database: Database) {}

  async add(blobs: readonly string[], dueAt: Date): Promise<void> {
    await this.sql('INSERT INTO doomed_blobs (blob, due_at) SELECT unnest($1::text[]), $2 ON CONFLICT DO NOTHING', [
      blobs,
      dueAt,
    ]);
  }

  async due(now: Date, limit: number): Promise<string[]> {
    const rows = await this.sql<{ blob: string }>(
      'SELECT blob FROM doomed_blobs WHERE due_at <= $1 ORDER BY due_at LIMIT $2',
      [now, limit],
    );
    return rows.map(({ blob }) => blob);
  }

  async remove(blobs: readonly string[]): Promise<void> {
    await this.sql('DELETE FROM doomed_blobs WHERE blob = ANY($1::text[])', [blobs]);
  }

  async count(): Promise<number> {
    const [row] = await this.sql<{ n: number }>('SELECT count(*)::int AS n FROM doomed_blobs', []);
    return row!.n;
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
