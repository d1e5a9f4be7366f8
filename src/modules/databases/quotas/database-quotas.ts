import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { batchesOf } from '../../../platform/database/in-batches.js';
import { Log } from '../../../platform/logging/log.js';
import { UsageAllowanceService } from '../../credits/usage-allowance.service.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { PLANS } from '../../plans/plan.js';
import { quotaBytesOf } from '../domain/described-database.js';
import { DatabaseOutcomes } from '../operations/database-outcomes.js';
import { DatabaseSizesStore, type SizedDatabase } from '../persistence/database-sizes.store.js';
import { DatabasesStore } from '../persistence/databases.store.js';
import { diskBoundsOf } from './disk-bounds.js';
import { decideQuota, type QuotaDecision } from './quota-decision.js';

const BATCH = 100;

export interface DecidedDatabase extends SizedDatabase {
  readonly decision: QuotaDecision;
}

/** Decides which databases of a host are read-only, and announces what becomes so. */
@Injectable()
export class DatabaseQuotas {
  constructor(
    private readonly database: Database,
    private readonly sizes: DatabaseSizesStore,
    private readonly databases: DatabasesStore,
    private readonly orgs: OrgDirectory,
    private readonly allowance: UsageAllowanceService,
    private readonly outcomes: DatabaseOutcomes,
    private readonly log: Log,
  ) {}

  /** Decides for all databases of the host that are ready, batch by batch. */
  async *decide(hostId: string, stopping: AbortSignal): AsyncGenerator<DecidedDatabase> {
    const read = (last: SizedDatabase | undefined, limit: number): Promise<SizedDatabase[]> =>
      this.sizes.ofHost(hostId, last?.id ?? '', limit);
    for await (const batch of batchesOf(read, { size: BATCH, stopping })) {
      for (const decided of await this.decisionsOn(batch)) if (await this.store(decided)) yield decided;
    }
  }

  private async decisionsOn(batch: readonly SizedDatabase[]): Promise<DecidedDatabase[]> {
    const orgIds = [...new Set(batch.map(({ orgId }) => orgId))];
    const plans = await this.orgs.plansOf(orgIds);
    const exhausted = await this.allowance.exhausted(orgIds, 'database_storage');
    return batch.map((each) => {
      const quotaBytes = BigInt(quotaBytesOf(PLANS[plans.get(each.orgId) ?? 'free']));
      const facts = { ...each, quotaBytes, bounds: diskBoundsOf(quotaBytes), isPaid: !exhausted.has(each.orgId) };
      return { ...each, decision: decideQuota(facts) };
    });
  }

  /** False for a database that has changed meanwhile. */
  private async store(decided: DecidedDatabase): Promise<boolean> {
    const { decision, because, overrides } = decided;
    if (decision.because === because && decision.overrides === overrides) return true;
    return this.database.transaction(async () => {
      if (!(await this.sizes.decide(decided, decision))) return false;
      if (because === null && decision.because !== null) await this.announce(decided);
      return true;
    });
  }

  private async announce({ id, decision: { because } }: DecidedDatabase): Promise<void> {
    this.log.info({ databaseId: id, because }, 'A database becomes read-only.');
    const row = await this.databases.findById(id);
    await this.outcomes.publish('database.over_quota', row!, { read_only_because: because });
  }
}
