import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { ObjectUpload } from './bucket-rows.js';

/** Uploads that are over because they have become an object. */
@Injectable()
export class CompletedUploadsStore {
  constructor(private readonly database: Database) {}

  async insert({ id, bucketId, key }: Pick<ObjectUpload, 'id' | 'bucketId' | 'key'>, at: Date): Promise<void> {
    await this.database.manager.query(
      'INSERT INTO completed_object_uploads (id, bucket_id, key, completed_at) VALUES ($1, $2, $3, $4)',
      [id, bucketId, key, at],
    );
  }

  /** Returns the key of the object that an upload has become. */
  async keyOf(bucketId: string, id: string): Promise<string | undefined> {
    const [row] = await this.database.manager.query<{ key: string }[]>(
      'SELECT key FROM completed_object_uploads WHERE id = $1 AND bucket_id = $2',
      [id, bucketId],
    );
    return row?.key;
  }

  async deleteBefore(time: Date, limit: number): Promise<number> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      `DELETE FROM completed_object_uploads WHERE id IN (
         SELECT id FROM completed_object_uploads WHERE completed_at < $1 ORDER BY completed_at LIMIT $2)`,
      [time, limit],
    );
    return count;
  }
}
