import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Meter } from '../../metering/meter.js';
import type { CreditGrant } from '../domain/credit-grant.js';

interface Row {
  readonly id: string;
  readonly org_id: string;
  readonly amount_nano: string;
  readonly remaining_nano: string;
  readonly held_nano: string;
  readonly priority: number;
  readonly expires_at: Date | null;
  readonly applies_to: Meter[] | null;
}

const COLUMNS = 'id, org_id, amount_nano, remaining_nano, held_nano, priority, expires_at, applies_to';

export type OwnedGrant = CreditGrant & { readonly orgId: string; readonly heldNano: bigint };

/** Reads grants without locking their account. */
@Injectable()
export class GrantsStore {
  constructor(private readonly database: Database) {}

  async findByKey(key: string): Promise<OwnedGrant | undefined> {
    const [row] = await this.database.manager.query<Row[]>(`SELECT ${COLUMNS} FROM credit_grants WHERE key = $1`, [
      key,
    ]);
    return row && grantOf(row);
  }

  /** Returns grants with something left, in the order in which they are used. */
  async list(orgId: string): Promise<OwnedGrant[]> {
    const rows = await this.database.manager.query<Row[]>(
      `
      SELECT ${COLUMNS} FROM credit_grants
      WHERE org_id = $1 AND remaining_nano > 0 ORDER BY priority, expires_at NULLS LAST, id`,
      [orgId],
    );
    return rows.map(grantOf);
  }

  /** Returns organizations with credits that have expired and are not held. */
  async expired(now: Date, limit: number): Promise<string[]> {
    const rows = await this.database.manager.query<{ org_id: string }[]>(
      'SELECT DISTINCT org_id FROM credit_grants WHERE expires_at <= $1 AND remaining_nano > held_nano LIMIT $2',
      [now, limit],
    );
    return rows.map(({ org_id }) => org_id);
  }

  async balance(orgId: string): Promise<{ postedNano: bigint; heldNano: bigint } | undefined> {
    const [row] = await this.database.manager.query<{ posted_nano: string; held_nano: string }[]>(
      'SELECT posted_nano, held_nano FROM credit_accounts WHERE org_id = $1',
      [orgId],
    );
    return row && { postedNano: BigInt(row.posted_nano), heldNano: BigInt(row.held_nano) };
  }
}

const grantOf = (row: Row): OwnedGrant => ({
  id: row.id,
  orgId: row.org_id,
  amountNano: BigInt(row.amount_nano),
  remainingNano: BigInt(row.remaining_nano),
  heldNano: BigInt(row.held_nano),
  priority: row.priority,
  expiresAt: row.expires_at,
  appliesTo: row.applies_to,
});
