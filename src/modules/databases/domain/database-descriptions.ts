import { Injectable } from '@nestjs/common';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { PLANS } from '../../plans/plan.js';
import { DatabaseAttachmentsStore } from '../persistence/database-attachments.store.js';
import type { DatabaseRow } from '../persistence/database-rows.js';
import type { DescribedDatabase } from './described-database.js';
import { PublicAddress } from './public-address.js';
import { RestorableTimes } from './restorable-times.js';

/** Adds to rows of databases what the API shows besides. */
@Injectable()
export class DatabaseDescriptions {
  constructor(
    private readonly orgs: OrgDirectory,
    private readonly address: PublicAddress,
    private readonly times: RestorableTimes,
    private readonly attachments: DatabaseAttachmentsStore,
  ) {}

  async of(row: DatabaseRow): Promise<DescribedDatabase> {
    const [described] = await this.ofAll([row]);
    return described!;
  }

  async ofAll(rows: readonly DatabaseRow[]): Promise<DescribedDatabase[]> {
    if (rows.length === 0) return [];
    const plans = await this.orgs.plansOf([...new Set(rows.map(({ org_id }) => org_id))]);
    const restorable = await this.times.of(rows);
    const addressOf = await this.address.of(rows.map(({ host_id }) => host_id));
    const inProduction = await this.attachments.inProduction(rows.map(({ id }) => id));
    return rows.map((row) => ({
      row,
      plan: PLANS[plans.get(row.org_id) ?? 'free'],
      address: addressOf(row.host_id),
      restorable: restorable(row),
      isInProduction: inProduction.has(row.id),
    }));
  }
}
