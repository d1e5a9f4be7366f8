import { Injectable } from '@nestjs/common';
import { type Meter, METER_TABLE, type MeterUnit } from './meter.js';
import { USAGE_GROUPS, type UsageGroup, UsageReportStore } from './persistence/usage-report.store.js';

export { USAGE_GROUPS, type UsageGroup };

export interface UsageReportLine {
  readonly meter: Meter;
  /** Undefined if it was not asked for or there is none. The next two are the same. */
  readonly model: string | undefined;
  readonly projectId: string | undefined;
  /** `2026-11-21`, UTC. */
  readonly day: string | undefined;
  readonly quantity: bigint;
  readonly unit: MeterUnit;
  readonly costNano: bigint;
}

/** Reports usage as it is billed. */
@Injectable()
export class UsageReportService {
  constructor(private readonly store: UsageReportStore) {}

  /** Groups by meter and by `groups`. `from` and `to` are whole hours. */
  async of(orgId: string, time: { from: Date; to: Date }, groups: ReadonlySet<UsageGroup>): Promise<UsageReportLine[]> {
    const rows = await this.store.rows(orgId, time, groups);
    return rows.map(({ meter, model, project_id, day, quantity, cost_nano }) => ({
      meter,
      model: shown(model),
      projectId: shown(project_id),
      day: shown(day),
      quantity: BigInt(quantity),
      unit: METER_TABLE[meter].unit,
      costNano: BigInt(cost_nano),
    }));
  }
}

const shown = (text: string | null): string | undefined => (text === null || text === '' ? undefined : text);
