import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import { AuditEntry } from './audit-entry.entity.js';

export interface AuditPeriod {
  readonly from?: Date | undefined;
  /** Excluded. */
  readonly to?: Date | undefined;
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

  async find(orgId: string, id: string): Promise<AuditEntry | undefined> {
    return (await this.database.manager.findOneBy(AuditEntry, { orgId, id })) ?? undefined;
  }

  /** Lists entries, newest first. */
  async list(orgId: string, request: PageRequest): Promise<Page<AuditEntry>> {
    const query = this.database.manager
      .createQueryBuilder(AuditEntry, 'entry')
      .where('entry.orgId = :orgId', { orgId })
      .orderBy('entry.id', 'DESC')
      .limit(request.limit + 1);
    if (request.after !== undefined) query.andWhere('entry.id < :after', { after: request.after });
    return pageOf(await query.getMany(), request, ({ id }) => id);
  }

  /** Lists at most `limit` entries of a period after another entry, oldest first. */
  async listOn(orgId: string, { from, to }: AuditPeriod, after: string, limit: number): Promise<AuditEntry[]> {
    const query = this.database.manager
      .createQueryBuilder(AuditEntry, 'entry')
      .where('entry.orgId = :orgId AND entry.id > :after', { orgId, after })
      .orderBy('entry.id', 'ASC')
      .limit(limit);
    if (from !== undefined) query.andWhere('entry.at >= :from', { from });
    if (to !== undefined) query.andWhere('entry.at < :to', { to });
    return query.getMany();
  }
}
