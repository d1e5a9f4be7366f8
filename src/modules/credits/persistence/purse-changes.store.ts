import { Injectable } from '@nestjs/common';
import { arrayOfNumbers, arrayOfTexts, arrayOfTimes } from '../../../platform/database/array-literal.js';
import { Database } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/prepared.js';
import type { LedgerTransaction } from '../ledger-transaction.js';
import type { Hold } from '../purse/hold.js';
import type { AccountRow, GrantRow } from './purses.store.js';

/** The changes to locked purses. Holds, ledger transactions and accounts occur once each. */
export interface PurseChanges {
  readonly accounts: readonly AccountRow[];
  readonly grants: readonly Pick<GrantRow, 'id' | 'remainingNano' | 'heldNano'>[];
  /** Holds that are new, whatever their state is now. */
  readonly begun: readonly Hold[];
  readonly changed: readonly Hold[];
  readonly ledger: readonly LedgerTransaction[];
}

/**
 * Rows that are updated are matched by the join and again by `ANY`: without the second condition PostgreSQL scans
 * tables of medium size as a whole.
 */
const WRITE = prepared(`
  WITH accounts AS (
    UPDATE credit_accounts SET posted_nano = changed.posted_nano, held_nano = changed.held_nano
    FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS changed (org_id, posted_nano, held_nano)
    WHERE credit_accounts.org_id = changed.org_id AND credit_accounts.org_id = ANY($1::text[])
  ), grants AS (
    UPDATE credit_grants SET remaining_nano = changed.remaining_nano, held_nano = changed.held_nano
    FROM unnest($4::text[], $5::bigint[], $6::bigint[]) AS changed (id, remaining_nano, held_nano)
    WHERE credit_grants.id = changed.id AND credit_grants.id = ANY($4::text[])
  ), begun AS (
    INSERT INTO holds (key, org_id, meter, model, amount_nano, month, begun_at, expires_at,
      state, credit_nano, billed_nano, parts, ended_at, cost_nano, lost_nano, refunded_nano, occurred_at, budgets,
      beyond, counted_nano)
    SELECT * FROM unnest(
      $7::text[], $8::text[], $9::text[], $10::text[], $11::bigint[], $12::date[],
      $13::timestamptz[], $14::timestamptz[],
      $15::text[], $16::bigint[], $17::bigint[], $18::jsonb[], $19::timestamptz[],
      $20::bigint[], $21::bigint[], $22::bigint[], $23::timestamptz[], $44::jsonb[], $45::text[], $46::bigint[])
  ), changed AS (
    UPDATE holds
    SET state = changed.state, credit_nano = changed.credit_nano, billed_nano = changed.billed_nano,
      parts = changed.parts, ended_at = changed.ended_at, cost_nano = changed.cost_nano,
      lost_nano = changed.lost_nano, refunded_nano = changed.refunded_nano, occurred_at = changed.occurred_at,
      counted_nano = changed.counted_nano
    FROM unnest(
      $24::text[], $25::text[], $26::bigint[], $27::bigint[], $28::jsonb[], $29::timestamptz[],
      $30::bigint[], $31::bigint[], $32::bigint[], $33::timestamptz[], $47::bigint[])
      AS changed (key, state, credit_nano, billed_nano, parts, ended_at,
        cost_nano, lost_nano, refunded_nano, occurred_at, counted_nano)
    WHERE holds.key = changed.key AND holds.key = ANY($24::text[])
  ), transactions AS (
    INSERT INTO ledger_transactions (key, kind, org_id, details, at)
    SELECT * FROM unnest($34::text[], $35::text[], $36::text[], $37::jsonb[], $38::timestamptz[])
  )
  INSERT INTO ledger_entries (transaction_key, position, account, org_id, amount_nano)
  SELECT * FROM unnest($39::text[], $40::smallint[], $41::text[], $42::text[], $43::bigint[])`);

@Injectable()
export class PurseChangesStore {
  constructor(private readonly database: Database) {}

  /** Writes all changes in one statement, later. The running transaction must have locked the accounts. */
  writeLater({ accounts, grants, begun, changed, ledger }: PurseChanges): void {
    if (accounts.length + begun.length + changed.length + ledger.length === 0) return;
    const entries = ledger.flatMap(({ key, entries: own }) =>
      own.map((entry, index) => ({ key, position: index + 1, entry })),
    );
    this.database.writeLater(WRITE, [
      arrayOfTexts(accounts.map(({ orgId }) => orgId)),
      arrayOfNumbers(accounts.map(({ postedNano }) => postedNano)),
      arrayOfNumbers(accounts.map(({ heldNano }) => heldNano)),
      arrayOfTexts(grants.map(({ id }) => id)),
      arrayOfNumbers(grants.map(({ remainingNano }) => remainingNano)),
      arrayOfNumbers(grants.map(({ heldNano }) => heldNano)),
      arrayOfTexts(begun.map(({ key }) => key)),
      arrayOfTexts(begun.map(({ orgId }) => orgId)),
      arrayOfTexts(begun.map(({ meter }) => meter)),
      arrayOfTexts(begun.map(({ model }) => model)),
      arrayOfNumbers(begun.map(({ amountNano }) => amountNano)),
      arrayOfTexts(begun.map(({ month }) => month)),
      arrayOfTimes(begun.map(({ begunAt }) => begunAt)),
      arrayOfTimes(begun.map(({ expiresAt }) => expiresAt)),
      ...stateOf(begun),
      arrayOfTexts(changed.map(({ key }) => key)),
      ...stateOf(changed),
      arrayOfTexts(ledger.map(({ key }) => key)),
      arrayOfTexts(ledger.map(({ kind }) => kind)),
      arrayOfTexts(ledger.map(({ orgId }) => orgId)),
      arrayOfTexts(ledger.map(({ details = {} }) => JSON.stringify(details))),
      arrayOfTimes(ledger.map(({ at }) => at)),
      arrayOfTexts(entries.map(({ key }) => key)),
      arrayOfNumbers(entries.map(({ position }) => position)),
      arrayOfTexts(entries.map(({ entry }) => entry.account)),
      arrayOfTexts(entries.map(({ entry }) => entry.orgId)),
      arrayOfNumbers(entries.map(({ entry }) => entry.amountNano)),
      arrayOfTexts(begun.map(({ budgets }) => JSON.stringify(budgets))),
      arrayOfTexts(begun.map(({ beyond }) => beyond)),
      arrayOfNumbers(begun.map(({ countedNano }) => countedNano)),
      arrayOfNumbers(changed.map(({ countedNano }) => countedNano)),
    ]);
  }
}

/** The columns of a hold that can change. */
const stateOf = (holds: readonly Hold[]): string[] => [
  arrayOfTexts(holds.map(({ state }) => state)),
  arrayOfNumbers(holds.map(({ creditNano }) => creditNano)),
  arrayOfNumbers(holds.map(({ billedNano }) => billedNano)),
  arrayOfTexts(holds.map(partsOf)),
  arrayOfTimes(holds.map(({ endedAt }) => endedAt)),
  arrayOfNumbers(holds.map(({ costNano }) => costNano)),
  arrayOfNumbers(holds.map(({ lostNano }) => lostNano)),
  arrayOfNumbers(holds.map(({ refundedNano }) => refundedNano)),
  arrayOfTimes(holds.map(({ occurredAt }) => occurredAt)),
];

/** Amounts are text, because JSON numbers cannot hold them. */
const partsOf = ({ parts }: Hold): string =>
  JSON.stringify(parts.map(({ grant, nano }) => ({ grant, nano: nano.toString() })));
