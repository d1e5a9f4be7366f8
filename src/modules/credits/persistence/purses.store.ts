import { Injectable } from '@nestjs/common';
import { arrayOfNumbers, arrayOfTexts } from '../../../platform/database/array-literal.js';
import { Database } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/prepared.js';
import type { Meter } from '../../metering/meter.js';
import type { BudgetWindow } from '../domain/budget.js';
import type { Hold } from '../purse/hold.js';
import type { BilledMonth, HeldGrant } from '../purse/purse.js';
import type { BudgetFacts, ChangedBudgetPeriod, HeldBudget } from '../purse/purse-budgets.js';
import type { NewGrant } from '../purse/purse-session.js';
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
  readonly budgets: readonly BudgetRow[];
  readonly holds: readonly Hold[];
}

/** A subject whose budget is looked for. */
export interface BudgetSubjectOfOrg {
  readonly orgId: string;
  readonly subject: string;
}

type BudgetRow = BudgetFacts & { readonly orgId: string };

/** What to load of the locked accounts. */
export interface LoadSelection {
  readonly orgIds: readonly string[];
  /** These months are loaded besides the months of the holds. */
  readonly months: readonly string[];
  readonly holdKeys: readonly string[];
  /** The budgets of these are loaded besides those of the holds. */
  readonly subjects: readonly BudgetSubjectOfOrg[];
  /** These periods of the budgets are loaded besides the periods of the holds. */
  readonly periods: readonly string[];
}

/**
 * Amounts are text, because JSON numbers cannot hold them. Grants and holds are arrays rather than objects, because
 * hundreds of them are loaded at once.
 */
const GRANT = `json_build_array(org_id, id, priority, expires_at, applies_to,
  amount_nano::text, remaining_nano::text, held_nano::text)`;
type GrantValues = readonly [
  orgId: string,
  id: string,
  priority: number,
  expiresAt: string | null,
  appliesTo: Meter[] | null,
  amountNano: string,
  remainingNano: string,
  heldNano: string,
];

const MONTH =
  "json_build_object('orgId', org_id, 'month', month, 'postedNano', posted_nano::text, 'heldNano', held_nano::text)";
const CAP = "json_build_object('orgId', org_id, 'capNano', cap_nano::text)";
const HOLD = `json_build_array(key, org_id, meter, model, amount_nano::text, state, credit_nano::text,
  billed_nano::text, parts, budgets, month, begun_at, expires_at,
  ended_at, cost_nano::text, lost_nano::text, refunded_nano::text, occurred_at, beyond, counted_nano::text)`;
type HoldValues = readonly [
  key: string,
  orgId: string,
  meter: Meter,
  model: string | null,
  amountNano: string,
  state: Hold['state'],
  creditNano: string,
  billedNano: string,
  parts: { grant: string; nano: string }[],
  budgets: HeldBudget[],
  month: string,
  begunAt: string,
  expiresAt: string,
  endedAt: string | null,
  costNano: string | null,
  lostNano: string | null,
  refundedNano: string,
  occurredAt: string | null,
  beyond: Hold['beyond'],
  countedNano: string | null,
];

const BUDGET = `json_build_array(b.id, b.org_id, b.subject, b."window", b.limit_nano::text,
  (SELECT coalesce(json_agg(json_build_array(p.period, p.posted_nano::text, p.held_nano::text)), '[]')
    FROM budget_periods p WHERE p.budget_id = b.id
      AND (p.period = ANY($6) OR p.period IN (SELECT period FROM held WHERE held.id = b.id))))`;
type BudgetValues = readonly [
  id: string,
  orgId: string,
  subject: string,
  window: BudgetWindow,
  limitNano: string,
  periods: readonly (readonly [period: string, postedNano: string, heldNano: string])[],
];

const LOCK = prepared(
  'SELECT org_id, posted_nano, held_nano FROM credit_accounts WHERE org_id = ANY($1) ORDER BY org_id FOR NO KEY UPDATE',
);
const LOAD = prepared(`
  WITH wanted AS MATERIALIZED (SELECT * FROM holds WHERE key = ANY($3)),
    held AS MATERIALIZED (SELECT part ->> 'budget' AS id, part ->> 'period' AS period
      FROM wanted, jsonb_array_elements(budgets) part)
  SELECT
    (SELECT coalesce(json_agg(${HOLD}), '[]') FROM wanted) AS holds,
    (SELECT coalesce(json_agg(${GRANT}), '[]') FROM credit_grants WHERE org_id = ANY($1) AND (remaining_nano > 0
      OR id IN (SELECT part ->> 'grant' FROM wanted, jsonb_array_elements(parts) part))) AS grants,
    (SELECT coalesce(json_agg(${MONTH}), '[]') FROM billed_months
      WHERE org_id = ANY($1) AND (month = ANY($2::date[])
      OR month IN (SELECT month FROM wanted))) AS months,
    (SELECT coalesce(json_agg(${CAP}), '[]') FROM spend_caps WHERE org_id = ANY($1)) AS caps,
    (SELECT coalesce(json_agg(${BUDGET}), '[]') FROM budgets b
      WHERE (org_id, subject) IN (SELECT * FROM unnest($4::text[], $5::text[]))
        OR id IN (SELECT id FROM held)) AS budgets`);
const SAVE_MONTHS = prepared(`
  INSERT INTO billed_months (org_id, month, posted_nano, held_nano)
  SELECT * FROM unnest($1::text[], $2::date[], $3::bigint[], $4::bigint[])
  ON CONFLICT (org_id, month) DO UPDATE SET posted_nano = excluded.posted_nano, held_nano = excluded.held_nano`);
const SAVE_BUDGET_PERIODS = prepared(`
  INSERT INTO budget_periods (budget_id, period, posted_nano, held_nano)
  SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])
  ON CONFLICT (budget_id, period) DO UPDATE SET posted_nano = excluded.posted_nano, held_nano = excluded.held_nano`);

/** Accounts, grants, months, budgets and holds. They are read under the lock of their account and written as a set. */
@Injectable()
export class PursesStore {
  constructor(private readonly database: Database) {}

  /** Locks in one order everywhere, so that two transactions cannot deadlock. */
  async lock(orgIds: readonly string[]): Promise<AccountRow[]> {
    const rows = await this.database.ask<{ org_id: string; posted_nano: string; held_nano: string }>(LOCK, [
      arrayOfTexts(orgIds),
    ]);
    return rows.map((row) => ({
      orgId: row.org_id,
      postedNano: BigInt(row.posted_nano),
      heldNano: BigInt(row.held_nano),
    }));
  }

  /** Opens accounts for organizations that have none, and returns which of them it opened. */
  async open(orgIds: readonly string[], at: Date): Promise<string[]> {
    const rows = await this.query<{ org_id: string }>(
      `
      INSERT INTO credit_accounts (org_id, posted_nano, held_nano, opened_at)
      SELECT id, 0, 0, $2 FROM unnest($1::text[]) id
      ON CONFLICT DO NOTHING RETURNING org_id`,
      [orgIds, at],
    );
    return rows.map(({ org_id }) => org_id);
  }

  async isOpen(orgId: string): Promise<boolean> {
    return (await this.query('SELECT 1 FROM credit_accounts WHERE org_id = $1', [orgId])).length > 0;
  }

  async load({ orgIds, months: asked, holdKeys, subjects, periods }: LoadSelection): Promise<Loaded> {
    const [row] = await this.database.ask<
      Record<'months' | 'caps', Record<string, string>[]> & {
        grants: GrantValues[];
        holds: HoldValues[];
        budgets: BudgetValues[];
      }
    >(LOAD, [
      arrayOfTexts(orgIds),
      arrayOfTexts(asked),
      arrayOfTexts(holdKeys),
      arrayOfTexts(subjects.map(({ orgId }) => orgId)),
      arrayOfTexts(subjects.map(({ subject }) => subject)),
      arrayOfTexts(periods),
    ]);
    const { holds, grants, months, caps, budgets } = row!;
    return {
      holds: holds.map(holdOf),
      grants: grants.map(grantOf),
      months: months.map((each) => read(each) as MonthRow),
      caps: caps.map((each) => read(each) as CapRow),
      budgets: budgets.map(budgetOf),
    };
  }

  saveMonthsLater(rows: readonly MonthRow[]): void {
    if (rows.length === 0) return;
    this.database.writeLater(SAVE_MONTHS, [
      arrayOfTexts(rows.map(({ orgId }) => orgId)),
      arrayOfTexts(rows.map(({ month }) => month)),
      arrayOfNumbers(rows.map(({ postedNano }) => postedNano)),
      arrayOfNumbers(rows.map(({ heldNano }) => heldNano)),
    ]);
  }

  saveBudgetPeriodsLater(rows: readonly ChangedBudgetPeriod[]): void {
    if (rows.length === 0) return;
    this.database.writeLater(SAVE_BUDGET_PERIODS, [
      arrayOfTexts(rows.map(({ budget }) => budget)),
      arrayOfTexts(rows.map(({ period }) => period)),
      arrayOfNumbers(rows.map(({ postedNano }) => postedNano)),
      arrayOfNumbers(rows.map(({ heldNano }) => heldNano)),
    ]);
  }

  async addGrants(grants: readonly NewGrant[]): Promise<void> {
    for (const grant of grants) {
      await this.query(
        `
        INSERT INTO credit_grants (id, org_id, amount_nano, remaining_nano, held_nano,
          priority, expires_at, applies_to, reason, key, granted_by, created_at)
        VALUES ($1, $2, $3, $3, 0, $4, $5, $6, $7, $8, $9, $10)`,
        [
          grant.id,
          grant.orgId,
          grant.amountNano,
          grant.priority,
          grant.expiresAt,
          grant.appliesTo,
          grant.reason,
          grant.key,
          grant.grantedBy,
          grant.createdAt,
        ],
      );
    }
  }

  /** Adds warnings and returns those that are new: an organization gets one for each level and month. */
  addWarnings(warnings: readonly SpendWarning[]): Promise<Pick<SpendWarning, 'orgId' | 'month' | 'level'>[]> {
    if (warnings.length === 0) return Promise.resolve([]);
    return this.query(
      `
      INSERT INTO spend_warnings (org_id, month, level, billed_nano, cap_nano, warned_at)
      SELECT * FROM unnest($1::text[], $2::date[], $3::smallint[], $4::bigint[], $5::bigint[], $6::timestamptz[])
      ON CONFLICT DO NOTHING RETURNING org_id AS "orgId", month::text, level`,
      [
        warnings.map(({ orgId }) => orgId),
        warnings.map(({ month }) => month),
        warnings.map(({ level }) => level),
        warnings.map(({ billedNano }) => billedNano),
        warnings.map(({ capNano }) => capNano),
        warnings.map(({ warnedAt }) => warnedAt),
      ],
    );
  }

  private query<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}

/** Converts the fields whose names end in `Nano` to bigint. */
function read(json: object): object {
  return Object.fromEntries(
    Object.entries(json).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' && name.endsWith('Nano') ? BigInt(value) : value,
    ]),
  );
}

function grantOf([
  orgId,
  id,
  priority,
  expiresAt,
  appliesTo,
  amountNano,
  remainingNano,
  heldNano,
]: GrantValues): GrantRow {
  return {
    orgId,
    id,
    priority,
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
    appliesTo,
    amountNano: BigInt(amountNano),
    remainingNano: BigInt(remainingNano),
    heldNano: BigInt(heldNano),
  };
}

const budgetOf = ([id, orgId, subject, window, limitNano, periods]: BudgetValues): BudgetRow => ({
  id,
  orgId,
  subject,
  window,
  limitNano: BigInt(limitNano),
  periods: new Map(
    periods.map(([period, postedNano, heldNano]) => [
      period,
      { postedNano: BigInt(postedNano), heldNano: BigInt(heldNano) },
    ]),
  ),
});

function holdOf(values: HoldValues): Hold {
  const [
    key,
    orgId,
    meter,
    model,
    amountNano,
    state,
    creditNano,
    billedNano,
    parts,
    budgets,
    month,
    begunAt,
    expiresAt,
    endedAt,
    costNano,
    lostNano,
    refundedNano,
    occurredAt,
    beyond,
    countedNano,
  ] = values;
  return {
    key,
    orgId,
    meter,
    model,
    amountNano: BigInt(amountNano),
    state,
    creditNano: BigInt(creditNano),
    billedNano: BigInt(billedNano),
    parts: parts.map(({ grant, nano }) => ({ grant, nano: BigInt(nano) })),
    budgets,
    beyond,
    month,
    begunAt: new Date(begunAt),
    expiresAt: new Date(expiresAt),
    endedAt: endedAt === null ? null : new Date(endedAt),
    costNano: costNano === null ? null : BigInt(costNano),
    lostNano: lostNano === null ? null : BigInt(lostNano),
    refundedNano: BigInt(refundedNano),
    occurredAt: occurredAt === null ? null : new Date(occurredAt),
    countedNano: countedNano === null ? null : BigInt(countedNano),
  };
}
