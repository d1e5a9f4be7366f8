import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** The texts of a generation. Both are sealed by `SECRETS_KEY`. */
export interface GenerationContent {
  readonly generationId: string;
  readonly orgId: string;
  readonly request: Buffer;
  readonly requestIsTruncated: boolean;
  readonly answer: Buffer;
  readonly answerIsTruncated: boolean;
  /** The content type of the answer. */
  readonly contentType: string;
  readonly createdAt: Date;
}

export type ContentId = Pick<GenerationContent, 'generationId'>;

/** A content with the end of its retention. */
export type KeptContent = GenerationContent & { readonly expiresAt: Date };

const COLUMNS = `generation_id AS "generationId", org_id AS "orgId", request,
  request_is_truncated AS "requestIsTruncated", answer, answer_is_truncated AS "answerIsTruncated",
  content_type AS "contentType", created_at AS "createdAt"`;

@Injectable()
export class GenerationContentsStore {
  constructor(private readonly database: Database) {}

  /**
   * Adds a content, unless the organization has switched retention off meanwhile: the policy is locked, so that what is
   * deleted with it leaves nothing behind.
   */
  async insert(content: GenerationContent): Promise<void> {
    await this.query(
      `
      INSERT INTO generation_contents (generation_id, org_id, request, request_is_truncated, answer,
        answer_is_truncated, content_type, created_at)
      SELECT $1, $2, $3, $4, $5, $6, $7, $8 FROM ai_policies
      WHERE org_id = $2 AND retention_days IS NOT NULL FOR SHARE
      ON CONFLICT DO NOTHING`,
      [
        content.generationId,
        content.orgId,
        content.request,
        content.requestIsTruncated,
        content.answer,
        content.answerIsTruncated,
        content.contentType,
        content.createdAt,
      ],
    );
  }

  /** Returns undefined once the retention of the organization has passed, or is off. */
  async find(orgId: string, generationId: string, now: Date): Promise<KeptContent | undefined> {
    const [row] = await this.query<KeptContent>(
      `
      SELECT * FROM (
        SELECT ${COLUMNS}, created_at + make_interval(days => (
          SELECT retention_days FROM ai_policies p WHERE p.org_id = c.org_id)) AS "expiresAt"
        FROM generation_contents c WHERE generation_id = $2 AND org_id = $1) AS kept
      WHERE "expiresAt" > $3`,
      [orgId, generationId, now],
    );
    return row;
  }

  /** Deletes up to `limit` contents of an organization, and returns their number. */
  deleteOf(orgId: string, limit: number): Promise<number> {
    return this.delete('SELECT generation_id FROM generation_contents WHERE org_id = $1 LIMIT $2', [orgId, limit]);
  }

  /** Deletes up to `limit` contents whose retention has passed, and returns their number. */
  deleteExpired(now: Date, limit: number): Promise<number> {
    return this.delete(
      `SELECT c.generation_id FROM ai_policies p CROSS JOIN LATERAL (
         SELECT generation_id FROM generation_contents
         WHERE org_id = p.org_id AND created_at <= $1::timestamptz - make_interval(days => p.retention_days)
         LIMIT $2) c
       LIMIT $2`,
      [now, limit],
    );
  }

  /** Deletes up to `limit` contents of organizations without retention, and returns their number. */
  deleteForgotten(limit: number): Promise<number> {
    return this.delete(
      `SELECT generation_id FROM generation_contents c
       WHERE NOT EXISTS (SELECT 1 FROM ai_policies p WHERE p.org_id = c.org_id AND retention_days IS NOT NULL)
       LIMIT $1`,
      [limit],
    );
  }

  /** Returns the ids of contents after `last` with a text that does not begin with the mark. */
  withoutMark(mark: Buffer, last: ContentId | undefined, limit: number): Promise<ContentId[]> {
    return this.query(
      `SELECT generation_id AS "generationId" FROM generation_contents
       WHERE generation_id > $2 AND (substr(request, 1, length($1::bytea)) <> $1
         OR substr(answer, 1, length($1::bytea)) <> $1)
       ORDER BY generation_id LIMIT $3`,
      [mark, last?.generationId ?? '', limit],
    );
  }

  /** Locks a content until the running transaction ends. */
  async lock({ generationId }: ContentId): Promise<GenerationContent | undefined> {
    const [row] = await this.query<GenerationContent>(
      `SELECT ${COLUMNS} FROM generation_contents WHERE generation_id = $1 FOR UPDATE`,
      [generationId],
    );
    return row;
  }

  /** Replaces the texts, unless they were deleted meanwhile. */
  async saveTexts({ generationId, request, answer }: GenerationContent): Promise<void> {
    await this.query('UPDATE generation_contents SET request = $2, answer = $3 WHERE generation_id = $1', [
      generationId,
      request,
      answer,
    ]);
  }

  private async delete(ids: string, values: unknown[]): Promise<number> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      `DELETE FROM generation_contents WHERE generation_id IN (${ids})`,
      values,
    );
    return count;
  }

  private query<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
