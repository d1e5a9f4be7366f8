import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageWish } from '../../../platform/database/page.js';
import { AuditEntry } from './audit-entry.entity.js';

/** An entry with the name that its actor has now. */
export interface AuditRecord {
  readonly id: string;
  readonly at: Date;
  readonly action: string;
  readonly actorUserId: string | null;
  readonly actorUsername: string | null;
  readonly actorKeyId: string | null;
  readonly targetType: string;
  readonly targetId: string;
  readonly ip: string | null;
  readonly requestId: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

@Injectable()
export class AuditStore {
  constructor(private readonly database: Database) {}

  async insert(entry: AuditEntry): Promise<void> {
    await this.database.manager
      .createQueryBuilder()
      .insert()
      .into(AuditEntry)
      .values(entry as object)
      .updateEntity(false)
      .execute();
  }

  /** The latest first. */
  async list(orgId: string, wish: PageWish): Promise<Page<AuditRecord>> {
    const rows = await this.database.manager.query<AuditRecord[]>(
      `
      SELECT a.id, a.at, a.action, a.actor_user_id AS "actorUserId", u.username AS "actorUsername", a.actor_key_id AS "actorKeyId",
             a.target_type AS "targetType", a.target_id AS "targetId", a.ip, a.request_id AS "requestId", a.details
      FROM audit_log a LEFT JOIN users u ON u.id = a.actor_user_id
      WHERE a.org_id = $1 AND ($2::text IS NULL OR a.id < $2)
      ORDER BY a.id DESC LIMIT $3`,
      [orgId, wish.after ?? null, wish.limit + 1],
    );
    return pageOf(rows, wish, ({ id }) => id);
  }
}
