import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Ids } from '../../../platform/ids/ids.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { Clock } from '../../../platform/time/clock.js';
import { PLANS } from '../../plans/plan.js';
import { monthOf } from '../../metering/month.js';
import { CREDIT_GRANT_ID } from '../credits.ids.js';
import { PurseChangesStore } from '../persistence/purse-changes.store.js';
import {
  type AccountRow,
  type BudgetSubjectOfOrg,
  type GrantRow,
  type MonthRow,
  PursesStore,
} from '../persistence/purses.store.js';
import { periodsOf } from '../domain/budget.js';
import { type BilledMonth, Purse } from './purse.js';
import type { Hold } from './hold.js';
import type { BudgetFacts } from './purse-budgets.js';
import { PurseSession } from './purse-session.js';
import { SpendWarnings } from './spend-warnings.js';

export interface PurseSelection {
  readonly orgIds: readonly string[];
  readonly holdKeys?: readonly string[];
  /** When work begins or is charged, which decides the month that it counts towards. The default is now. */
  readonly times?: readonly Date[];
  /** Whose budgets new work needs room in. */
  readonly subjects?: readonly BudgetSubjectOfOrg[];
}

export interface AskedPurses {
  readonly wanted: readonly string[];
  readonly months: readonly string[];
  readonly accounts: readonly AccountRow[];
  readonly loaded: Loaded;
}

/** Lends out the purses of organizations: it locks them, and writes their changes when the work is done. */
@Injectable()
export class PursesService {
  constructor(
    private readonly database: Database,
    private readonly orgs: OrgDirectory,
    private readonly store: PursesStore,
    private readonly changes: PurseChangesStore,
    private readonly warnings: SpendWarnings,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Locks and reads the purses of these organizations in the running transaction, as {@link change} does at first, for
   * callers that have more to ask in the same round trip.
   */
  async ask({
    orgIds,
    holdKeys = [],
    times = [this.clock.now()],
    subjects = [],
  }: PurseSelection): Promise<AskedPurses> {
    const wanted = [...new Set(orgIds)].sort();
    const months = [...new Set(times.map((at) => monthOf(at).name))];
    const periods = [...new Set(times.flatMap(periodsOf))];
    // What is loaded is read when the lock is there.
    const [accounts, loaded] = await Promise.all([
      this.store.lock(wanted),
      this.store.load({ orgIds: wanted, months, holdKeys, subjects, periods }),
    ]);
    return { wanted, months, accounts, loaded };
  }

  /**
   * Runs `work` with the purses of these organizations in one transaction, the caller's if there is one. `work` is
   * synchronous, so that the accounts are locked no longer than reading and writing them takes. An organization without
   * an account gets one, and a personal organization gets the credits of the Free plan with it. What has changed is
   * written later in the transaction.
   *
   * @param asked what {@link ask} has returned for the same selection in this transaction.
   */
  async change<T>(
    selection: PurseSelection,
    work: (session: PurseSession) => T,
    asked?: Promise<AskedPurses>,
  ): Promise<T> {
    return this.database.transaction(async () => {
      let { wanted, months, accounts, loaded } = await (asked ?? this.ask(selection));
      const opened = new Set<string>();
      if (accounts.length < wanted.length) {
        const known = new Set(accounts.map(({ orgId }) => orgId));
        const missing = await this.orgs.lockExisting(wanted.filter((orgId) => !known.has(orgId)));
        const personal = new Set(missing.filter((org) => org.personal).map(({ id }) => id));
        const added = await this.store.open(
          missing.map(({ id }) => id),
          this.clock.now(),
        );
        for (const orgId of added) if (personal.has(orgId)) opened.add(orgId);
        ({ wanted, months, accounts, loaded } = await this.ask(selection));
      }
      const purses = pursesOf(accounts, months, loaded);
      const before = new Map([...purses].map(([orgId, purse]) => [orgId, stateOf(purse)]));

      const session = new PurseSession(purses, loaded.holds);
      for (const orgId of opened) this.welcome(session, orgId);
      const result = work(session);
      await this.save(
        [...purses.values()].filter((purse) => stateOf(purse) !== before.get(purse.orgId)),
        session,
      );
      return result;
    });
  }

  isOpen(orgId: string): Promise<boolean> {
    return this.store.isOpen(orgId);
  }

  /**
   * Grants the credits of the Free plan (service document §8). Only a personal organization gets them: each person has
   * one, while anybody can create any number of others.
   */
  private welcome(session: PurseSession, orgId: string): void {
    const amountNano = PLANS.free.creditNano;
    session.grant({
      id: this.ids.next(CREDIT_GRANT_ID),
      orgId,
      amountNano,
      remainingNano: amountNano,
      priority: 100,
      expiresAt: null,
      appliesTo: null,
      reason: 'Credits of the Free plan',
      key: `welcome:${orgId}`,
      grantedBy: 'service',
      createdAt: this.clock.now(),
    });
  }

  private async save(purses: readonly Purse[], { journal }: PurseSession): Promise<void> {
    const added = new Set(journal.granted.map(({ id }) => id));
    await this.store.addGrants(journal.granted);
    this.store.saveMonthsLater(
      purses.flatMap(({ orgId, months, changedMonths }) =>
        [...changedMonths].map((month) => ({ orgId, month, ...months.get(month)! })),
      ),
    );
    this.changes.writeLater({
      accounts: purses,
      grants: purses.flatMap(({ grants }) =>
        grants.filter(
          ({ id, heldNano, remainingNano, amountNano }) =>
            !added.has(id) || heldNano > 0n || remainingNano < amountNano,
        ),
      ),
      begun: [...journal.begun.values()],
      changed: [...journal.changed.values()],
      ledger: journal.ledger,
    });
    this.store.saveBudgetPeriodsLater(purses.flatMap(({ budgets }) => budgets.changed));
    for (const warning of await this.store.addWarnings(journal.warnings)) await this.warnings.announce(warning);
    await this.warnings.announceBudgets(journal.reachedBudgets);
  }
}

interface Loaded {
  readonly grants: readonly GrantRow[];
  readonly months: readonly MonthRow[];
  readonly caps: readonly { readonly orgId: string; readonly capNano: bigint | null }[];
  readonly budgets: readonly (BudgetFacts & { readonly orgId: string })[];
  readonly holds: readonly Hold[];
}

function pursesOf(
  accounts: readonly AccountRow[],
  asked: readonly string[],
  { grants, months, caps, budgets, holds }: Loaded,
): ReadonlyMap<string, Purse> {
  // A month without a row is empty.
  const touched = [...new Set([...asked, ...holds.map(({ month }) => month)])];
  const empty = (): Map<string, BilledMonth> =>
    new Map(touched.map((month) => [month, { postedNano: 0n, heldNano: 0n }]));
  const facts = new Map(
    accounts.map((account) => [
      account.orgId,
      {
        ...account,
        grants: [] as GrantRow[],
        months: empty(),
        capNano: null as bigint | null,
        budgets: [] as BudgetFacts[],
      },
    ]),
  );
  for (const grant of grants) facts.get(grant.orgId)!.grants.push(grant);
  for (const { orgId, month, postedNano, heldNano } of months)
    facts.get(orgId)!.months.set(month, { postedNano, heldNano });
  for (const budget of budgets) facts.get(budget.orgId)!.budgets.push(budget);
  for (const { orgId, capNano } of caps) facts.get(orgId)!.capNano = capNano;
  return new Map([...facts.values()].map((each) => [each.orgId, new Purse(each)]));
}

/** Describes the state of a purse, so that changes are noticed by comparing two descriptions. */
const stateOf = ({ postedNano, heldNano, grants, months, budgets }: Purse): string =>
  [
    postedNano,
    heldNano,
    ...grants.flatMap(({ id, remainingNano, heldNano: held }) => [id, remainingNano, held]),
    ...[...months].flatMap(([month, figures]) => [month, figures.postedNano, figures.heldNano]),
    budgets.changed.length,
  ].join(' ');
