import assert from 'node:assert/strict';
import { Injectable } from '@nestjs/common';
import { PlansSettings } from '../../plans/plans.settings.js';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import type { UsageEvent } from '../../metering/usage-event.js';
import { UsageService } from '../../metering/usage.service.js';
import { BudgetExceeded, CreditsExhausted, SpendCapReached } from '../credits.errors.js';
import { CreditsMetrics } from '../metrics/credits.metrics.js';
import type { Hold } from '../purse/hold.js';
import type { Refused } from '../purse/purse.js';
import type { NewHold, PurseSession } from '../purse/purse-session.js';
import { type AskedPurses, PursesService, type PurseSelection } from '../purse/purses.service.js';
import type { Outcome } from '../../../platform/database/gathering-writer.js';

export type WorkRequest =
  | { readonly kind: 'begin'; readonly orgId: string; readonly hold: NewHold }
  | { readonly kind: 'end'; readonly orgId: string; readonly key: string; readonly events: readonly UsageEvent[] }
  | {
      readonly kind: 'count';
      readonly orgId: string;
      readonly key: string;
      readonly costNano: bigint;
      readonly occurredAt: Date;
    }
  | { readonly kind: 'abandon' | 'expire'; readonly orgId: string; readonly key: string };

/** Begins and ends work of any number of organizations in one transaction. */
@Injectable()
export class WorkBatchService {
  constructor(
    private readonly planSettings: PlansSettings,
    private readonly database: Database,
    private readonly purses: PursesService,
    private readonly usage: UsageService,
    private readonly metrics: CreditsMetrics,
    private readonly clock: Clock,
  ) {}

  /** Records the usage and charges for it in the same transaction, so that neither exists without the other. */
  async perform(requests: readonly WorkRequest[]): Promise<Outcome<Hold>[]> {
    return this.database.transaction(async () => {
      const selection = selectionOf(requests);
      let asked: Promise<AskedPurses> | undefined;
      const costs = await this.record(requests, () => {
        asked = this.purses.ask(selection);
        // It is awaited below, unless what comes before it fails as well.
        asked.catch(() => undefined);
      });
      const outcomes = await this.purses.change(
        selection,
        (session) => requests.map((request): Outcome<Hold> => this.performOne(session, request, costs)),
        asked,
      );
      await this.database.afterCommit(async () => {
        this.count(requests, outcomes);
        return Promise.resolve();
      });
      return outcomes;
    });
  }

  private performOne(session: PurseSession, request: WorkRequest, costs: ReadonlyMap<string, bigint>): Outcome<Hold> {
    const at = this.clock.now();
    switch (request.kind) {
      case 'begin': {
        const held = session.hold(request.hold);
        return 'refused' in held ? { refusal: this.refusalOf(held, request.hold, session) } : { answer: held };
      }
      case 'end': {
        assert.equal(session.get(request.key).orgId, request.orgId, `${request.key} is held by another organization.`);
        return {
          answer: session.settle(request.key, costs.get(request.key)!, {
            occurredAt: occurredAtOf(request.events),
            endedAt: at,
          }),
        };
      }
      case 'count':
        assert.equal(session.get(request.key).orgId, request.orgId, `${request.key} is held by another organization.`);
        return {
          answer: session.count(request.key, request.costNano, { occurredAt: request.occurredAt, endedAt: at }),
        };
      case 'abandon':
        return { answer: session.release(request.key, 'released', at) };
      case 'expire':
        return { answer: session.release(request.key, 'expired', at) };
    }
  }

  /** Returns the cost of each piece of work that ends. */
  private async record(requests: readonly WorkRequest[], besides: () => void): Promise<ReadonlyMap<string, bigint>> {
    const ends = new Map(
      requests.flatMap((request) => (request.kind === 'end' ? [[request.key, request.events] as const] : [])),
    );
    const recorded = await this.usage.record([...ends.values()].flat(), { isPaid: true, besides });
    let next = 0;
    return new Map(
      [...ends].map(([key, events]) => {
        const own = recorded.slice(next, (next += events.length));
        return [key, own.reduce((sum, { costNano }) => sum + costNano, 0n)];
      }),
    );
  }

  private refusalOf(
    refusal: Refused,
    { orgId, amountNano, countedNano, begunAt }: NewHold,
    session: PurseSession,
  ): Error {
    const { refused, availableNano } = refusal;
    if (refused === 'budget') return new BudgetExceeded(refusal, countedNano ?? amountNano, begunAt);
    const shortfall = { requiredNano: amountNano, availableNano, upgradeUrl: this.planSettings.pricingUrl };
    return refused === 'credits'
      ? new CreditsExhausted(shortfall)
      : new SpendCapReached(shortfall, session.purse(orgId).capNano!);
  }

  private count(requests: readonly WorkRequest[], outcomes: readonly Outcome<Hold>[]): void {
    requests.forEach(({ kind }, index) => {
      const outcome = outcomes[index]!;
      if ('refusal' in outcome) this.metrics.refused(reasonOf(outcome.refusal));
      else if (kind === 'begin') this.metrics.held();
      else this.metrics.ended(outcome.answer);
    });
  }
}

const selectionOf = (requests: readonly WorkRequest[]): PurseSelection => ({
  orgIds: requests.map(({ orgId }) => orgId),
  holdKeys: requests.map((request) => (request.kind === 'begin' ? request.hold.key : request.key)),
  times: beginningsOf(requests),
  subjects: requests.flatMap((request) =>
    request.kind === 'begin' ? (request.hold.subjects ?? []).map((subject) => ({ orgId: request.orgId, subject })) : [],
  ),
});

/** All usage of a piece of work counts towards the month in which it began. */
function occurredAtOf(events: readonly UsageEvent[]): Date {
  assert(events.length > 0, 'Work ended without usage.');
  return events[0]!.occurredAt;
}

/** Work counts towards the month in which it was asked for, also if the month ends while the batch waits for locks. */
const beginningsOf = (requests: readonly WorkRequest[]): Date[] =>
  requests.flatMap((request) => (request.kind === 'begin' ? [request.hold.begunAt] : []));

function reasonOf(refusal: Error): 'budget' | 'spend_cap' | 'credits' {
  if (refusal instanceof BudgetExceeded) return 'budget';
  return refusal instanceof SpendCapReached ? 'spend_cap' : 'credits';
}
