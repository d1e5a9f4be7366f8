import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Hold } from '../purse/hold.js';
import type { BilledMonth, HeldGrant } from '../purse/purse.js';
import type { Journal, NewGrant } from '../purse/purse-session.js';
import type { SpendWarning } from '../purse/spend-warning.js';

export interface AccountRow {
  readonly orgId: string;
  readonly postedNano: bigint;
  readonly heldNano: bigint;
}

export interface MonthRow extends BilledMonth {
  readonly orgId: string;
  readonly month: string;
}

export type GrantRow = HeldGrant & { readonly orgId: string };

interface CapRow {
  readonly orgId: string;
  readonly capNano: bigint | null;
}

interface Loaded {
  readonly grants: readonly GrantRow[];
  readonly months: readonly MonthRow[];
  readonly caps: readonly CapRow[];
  readonly holds: readonly Hold[];
}

/** What is to be loaded of the locked accounts. */
export interface LoadWish {
  readonly orgIds: readonly string[];
  /** Besides the months of the holds. */
  readonly month: string;
  readonly holdKeys: readonly string[];
}

/** Amounts as text: JSON's numbers cannot hold them. */
const GRANT = "json_build_object('orgId', org_id, 'id', id, 'priority', priority, 'expiresAt', expires_at, 'appliesTo', applies_to, 'amountNano', amount_nano::text, 'remainingNano', remaining_nano::text, 'heldNano', held_nano::text)";
const MONTH = "json_build_object('orgId', org_id, 'month', month, 'postedNano', posted_nano::text, 'heldNano', held_nano::text)";
const CAP = "json_build_object('orgId', org_id, 'capNano', cap_nano::text)";
const HOLD = `json_build_object('key', key, 'orgId', org_id, 'meter', meter, 'model', model, 'amountNano', amount_nano::text, 'state', state,
  'creditNano', credit_nano::text, 'billedNano', billed_nano::text, 'parts', parts, 'month', month, 'begunAt', begun_at, 'expiresAt', expires_at,
  'endedAt', ended_at, 'costNano', cost_nano::text, 'lostNano', lost_nano::text, 'refundedNano', refunded_nano::text, 'occurredAt', occurred_at)`;

/** Accounts, grants, months and holds: everything is read under the lock of its account, and written as a set. */
@Injectable()
export class PursesStore {
  constructor(private readonly database: Database) {}

  /** Always in the same order, so that two who lock several wait for one another and not both. */
  async lock(orgIds: readonly string[]): Promise<AccountRow[]> {
    const rows = await this.query<{ org_id: string; posted_nano: string; held_nano: string }>(
      'SELECT org_id, posted_nano, held_nano FROM credit_accounts WHERE org_id = ANY($1) ORDER BY org_id FOR UPDATE', [orgIds]);
    return rows.map((row) => ({ orgId: row.org_id, postedNano: BigInt(row.posted_nano), heldNano: BigInt(row.held_nano) }));
  }

  /** Opens accounts of organizations that have none, and says which of them it has opened, and which of those are a person's own. */
  open(orgIds: readonly string[], at: Date): Promise<{ orgId: string; personal: boolean }[]> {
    return this.query(`
      WITH wanted AS (SELECT id, personal_of FROM organizations WHERE id = ANY($1) AND deleted_at IS NULL ORDER BY id FOR KEY SHARE),
        opened AS (INSERT INTO credit_accounts (org_id, posted_nano, held_nano, opened_at) SELECT id, 0, 0, $2 FROM wanted ON CONFLICT DO NOTHING RETURNING org_id)
      SELECT org_id AS "orgId", personal_of IS NOT NULL AS personal FROM opened JOIN wanted ON id = org_id`, [orgIds, at]);
  }

  async isOpen(orgId: string): Promise<boolean> {
    return (await this.query('SELECT 1 FROM credit_accounts WHERE org_id = $1', [orgId])).length > 0;
  }

  async load({ orgIds, month, holdKeys }: LoadWish): Promise<Loaded> {
    const [row] = await this.query<Record<'grants' | 'months' | 'caps' | 'holds', Record<string, string>[]>>(`
      WITH wanted AS MATERIALIZED (SELECT * FROM holds WHERE key = ANY($3))
      SELECT
        (SELECT coalesce(json_agg(${HOLD}), '[]') FROM wanted) AS holds,
        (SELECT coalesce(json_agg(${GRANT}), '[]') FROM credit_grants WHERE org_id = ANY($1) AND (remaining_nano > 0
          OR id IN (SELECT part ->> 'grant' FROM wanted, jsonb_array_elements(parts) part))) AS grants,
        (SELECT coalesce(json_agg(${MONTH}), '[]') FROM billed_months WHERE org_id = ANY($1) AND (month = $2
          OR month IN (SELECT month FROM wanted))) AS months,
        (SELECT coalesce(json_agg(${CAP}), '[]') FROM spend_caps WHERE org_id = ANY($1)) AS caps`, [orgIds, month, holdKeys]);
    const { holds, grants, months, caps } = row!;
    return {
      holds: holds.map((each) => holdOf(each)),
      grants: grants.map((each) => read(each) as GrantRow),
      months: months.map((each) => read(each) as MonthRow),
      caps: caps.map((each) => read(each) as CapRow),
    };
  }

  async saveAccounts(rows: readonly AccountRow[]): Promise<void> {
    if (rows.length === 0) return;
    await this.query(`
      UPDATE credit_accounts SET posted_nano = changed.posted_nano, held_nano = changed.held_nano
      FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS changed (org_id, posted_nano, held_nano) WHERE credit_accounts.org_id = changed.org_id`,
    [rows.map(({ orgId }) => orgId), rows.map(({ postedNano }) => postedNano), rows.map(({ heldNano }) => heldNano)]);
  }

  async saveGrants(rows: readonly GrantRow[]): Promise<void> {
    if (rows.length === 0) return;
    await this.query(`
      UPDATE credit_grants SET remaining_nano = changed.remaining_nano, held_nano = changed.held_nano
      FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS changed (id, remaining_nano, held_nano) WHERE credit_grants.id = changed.id`,
    [rows.map(({ id }) => id), rows.map(({ remainingNano }) => remainingNano), rows.map(({ heldNano }) => heldNano)]);
  }

  async saveMonths(rows: readonly MonthRow[]): Promise<void> {
    if (rows.length === 0) return;
    await this.query(`
      INSERT INTO billed_months (org_id, month, posted_nano, held_nano) SELECT * FROM unnest($1::text[], $2::date[], $3::bigint[], $4::bigint[])
      ON CONFLICT (org_id, month) DO UPDATE SET posted_nano = excluded.posted_nano, held_nano = excluded.held_nano`,
    [rows.map(({ orgId }) => orgId), rows.map(({ month }) => month), rows.map(({ postedNano }) => postedNano), rows.map(({ heldNano }) => heldNano)]);
  }

  async addGrants(grants: readonly NewGrant[]): Promise<void> {
    for (const grant of grants) {
      await this.query(`
        INSERT INTO credit_grants (id, org_id, amount_nano, remaining_nano, held_nano, priority, expires_at, applies_to, reason, key, granted_by, created_at)
        VALUES ($1, $2, $3, $3, 0, $4, $5, $6, $7, $8, $9, $10)`,
      [grant.id, grant.orgId, grant.amountNano, grant.priority, grant.expiresAt, grant.appliesTo, grant.reason, grant.key, grant.grantedBy, grant.createdAt]);
    }
  }

  async addHolds(holds: Journal['begun']): Promise<void> {
    if (holds.length === 0) return;
    await this.query(`
      INSERT INTO holds (key, org_id, meter, model, amount_nano, state, credit_nano, billed_nano, parts, month, begun_at, expires_at)
      SELECT key, org_id, meter, model, amount_nano, 'held', credit_nano, billed_nano, parts::jsonb, month, begun_at, expires_at
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], $9::date[], $10::timestamptz[], $11::timestamptz[])
        AS begun (key, org_id, meter, model, amount_nano, credit_nano, billed_nano, parts, month, begun_at, expires_at)`,
    [
      holds.map(({ key }) => key), holds.map(({ orgId }) => orgId), holds.map(({ meter }) => meter), holds.map(({ model }) => model),
      holds.map(({ amountNano }) => amountNano), holds.map(({ creditNano }) => creditNano), holds.map(({ billedNano }) => billedNano),
      holds.map(partsOf), holds.map(({ month }) => month), holds.map(({ begunAt }) => begunAt), holds.map(({ expiresAt }) => expiresAt),
    ]);
  }

  async saveHolds(holds: readonly Hold[]): Promise<void> {
    if (holds.length === 0) return;
    await this.query(`
      UPDATE holds SET state = ended.state, credit_nano = ended.credit_nano, billed_nano = ended.billed_nano, parts = ended.parts::jsonb, ended_at = ended.ended_at,
        cost_nano = ended.cost_nano, lost_nano = ended.lost_nano, refunded_nano = ended.refunded_nano, occurred_at = ended.occurred_at
      FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::timestamptz[], $7::bigint[], $8::bigint[], $9::bigint[], $10::timestamptz[])
        AS ended (key, state, credit_nano, billed_nano, parts, ended_at, cost_nano, lost_nano, refunded_nano, occurred_at)
      WHERE holds.key = ended.key`,
    [
      holds.map(({ key }) => key), holds.map(({ state }) => state), holds.map(({ creditNano }) => creditNano), holds.map(({ billedNano }) => billedNano),
      holds.map(partsOf), holds.map(({ endedAt }) => endedAt), holds.map(({ costNano }) => costNano), holds.map(({ lostNano }) => lostNano),
      holds.map(({ refundedNano }) => refundedNano), holds.map(({ occurredAt }) => occurredAt),
    ]);
  }

  /** Those that were not there: each organization is warned of a level once a month. */
  addWarnings(warnings: readonly SpendWarning[]): Promise<Pick<SpendWarning, 'orgId' | 'month' | 'level'>[]> {
    if (warnings.length === 0) return Promise.resolve([]);
    return this.query(`
      INSERT INTO spend_warnings (org_id, month, level, billed_nano, cap_nano, warned_at)
      SELECT * FROM unnest($1::text[], $2::date[], $3::smallint[], $4::bigint[], $5::bigint[], $6::timestamptz[])
      ON CONFLICT DO NOTHING RETURNING org_id AS "orgId", month::text, level`,
    [
      warnings.map(({ orgId }) => orgId), warnings.map(({ month }) => month), warnings.map(({ level }) => level),
      warnings.map(({ billedNano }) => billedNano), warnings.map(({ capNano }) => capNano), warnings.map(({ warnedAt }) => warnedAt),
    ]);
  }

  private query<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}

const partsOf = ({ parts }: Pick<Hold, 'parts'>): string => JSON.stringify(parts.map(({ grant, nano }) => ({ grant, nano: nano.toString() })));

/** Amounts and times by their names. */
function read(json: object): object {
  return Object.fromEntries(Object.entries(json).map(([name, value]: [string, unknown]) => {
    if (typeof value !== 'string') return [name, value];
    if (name.endsWith('Nano')) return [name, BigInt(value)];
    return [name, name.endsWith('At') ? new Date(value) : value];
  }));
}

function holdOf(json: object): Hold {
  const { parts, ...rest } = read(json) as Omit<Hold, 'parts'> & { parts: { grant: string; nano: string }[] };
  return { ...rest, parts: parts.map(({ grant, nano }) => ({ grant, nano: BigInt(nano) })) };
}
