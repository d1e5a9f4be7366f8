import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import { AuditEntry } from './audit-entry.entity.js';

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
}
