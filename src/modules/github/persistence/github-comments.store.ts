import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** A place for one comment: what it is about, and the pull request in a repository. */
export interface CommentPlace {
  readonly topic: string;
  readonly repository: string;
  readonly pull: number;
}

/** A reservation that is older than this was made by a worker that died. */
const STALE = "interval '2 minutes'";

/** Remembers which comment of a pull request is the one to edit. */
@Injectable()
export class GithubCommentsStore {
  constructor(private readonly database: Database) {}

  /** Returns the id of the comment, or null while there is none. */
  async find({ topic, repository, pull }: CommentPlace): Promise<number | null> {
    const [row] = await this.database.manager.query<{ comment_id: string | null }[]>(
      'SELECT comment_id FROM github_comments WHERE topic = $1 AND repository = $2 AND pull = $3',
      [topic, repository, pull],
    );
    return row?.comment_id == null ? null : Number(row.comment_id);
  }

  /** True for the one caller that may write the first comment. */
  async reserve({ topic, repository, pull }: CommentPlace): Promise<boolean> {
    const rows = await this.database.manager.query<unknown[]>(
      `
      INSERT INTO github_comments (topic, repository, pull, reserved_at) VALUES ($1, $2, $3, now())
      ON CONFLICT (topic, repository, pull) DO UPDATE SET reserved_at = now()
        WHERE github_comments.comment_id IS NULL AND github_comments.reserved_at < now() - ${STALE}
      RETURNING topic`,
      [topic, repository, pull],
    );
    return rows.length > 0;
  }

  async written({ topic, repository, pull }: CommentPlace, commentId: number): Promise<void> {
    await this.database.manager.query(
      'UPDATE github_comments SET comment_id = $4 WHERE topic = $1 AND repository = $2 AND pull = $3',
      [topic, repository, pull, commentId],
    );
  }

  /** Gives back a reservation whose comment could not be written. */
  async release({ topic, repository, pull }: CommentPlace): Promise<void> {
    await this.database.manager.query(
      'DELETE FROM github_comments WHERE topic = $1 AND repository = $2 AND pull = $3 AND comment_id IS NULL',
      [topic, repository, pull],
    );
  }
}
