import assert from 'node:assert/strict';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import type { DeployFailed } from './deploy-failure.js';
import type { DeployOutput, DeploySettings } from './deploy-facts.js';
import { DeploySignals } from './deploy-signals.js';
import { AT_WORK, type DeployState, HANDED_BACK, isOver, sourcesOf } from './deploy-state.js';
import { DeployMetrics } from '../metrics/deploys.metrics.js';
import type { DeployEventKind } from '../persistence/deploy-event.entity.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import { type DeployChange, DeploysStore } from '../persistence/deploys.store.js';

/** A deploy at an attempt; of another attempt nothing can be said any more. */
export type Attempt = Pick<Deploy, 'id' | 'attempt' | 'type' | 'state'>;

/** What is worth keeping of the one who begins it. */
export interface Beginning {
  readonly workerId: string;
  /** From now on, by the clock of the database. */
  readonly leaseMs: number;
  readonly repoUrl: string;
  readonly settings: DeploySettings;
}

interface Circumstances {
  /** For the event. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** false: whatever attempt it is at. */
  readonly sameAttempt?: boolean;
}

/**
 * The only place where a deploy changes its state: one conditional update, and the event that tells of it in the same
 * transaction. Each answers whether it happened; of two that meet, the first one wins, and what comes late falls
 * through.
 */
@Injectable()
export class DeployTransitions {
  constructor(
    private readonly database: Database,
    private readonly deploys: DeploysStore,
    private readonly signals: DeploySignals,
    private readonly metrics: DeployMetrics,
    private readonly clock: Clock,
  ) {}

  async queued(deploy: Deploy): Promise<void> {
    assert(this.database.inTransaction, 'A deploy was queued outside a transaction.');
    await this.deploys.insert(deploy);
    await this.record(deploy, 'state', { to: 'queued' }, { trigger: deploy.trigger });
    await this.tellAfterCommit(deploy, 'queued');
  }

  begin(attempt: Attempt, { workerId, leaseMs, repoUrl, settings }: Beginning): Promise<boolean> {
    return this.move(attempt, 'initializing', {
      workerId,
      repoUrl,
      settings,
      phaseMs: {},
      leaseUntil: () => `now() + ${leaseMs} * interval '1 millisecond'`,
      initializingAt: this.clock.now(),
      buildingAt: null,
      deployingAt: null,
    });
  }

  building(attempt: Attempt): Promise<boolean> {
    return this.move(attempt, 'building', { buildingAt: this.clock.now() });
  }

  deploying(attempt: Attempt): Promise<boolean> {
    return this.move(attempt, 'deploying', { deployingAt: this.clock.now() });
  }

  ready(
    attempt: Attempt,
    facts: { output: DeployOutput; phaseMs: Readonly<Record<string, number>>; sameAs: string | null },
  ): Promise<boolean> {
    return this.move(attempt, 'ready', { ...facts, readyAt: this.clock.now() });
  }

  failed(
    attempt: Attempt,
    { code, message }: Pick<DeployFailed, 'code' | 'message'>,
    phaseMs: Readonly<Record<string, number>> = {},
  ): Promise<boolean> {
    return this.move(attempt, 'error', { errorCode: code, errorMessage: message, phaseMs }, { details: { code } });
  }

  /** Whatever attempt it is at. */
  canceled(
    deploy: Attempt,
    by: { readonly userId?: string | undefined; readonly reason: 'asked' | 'project_deleted' },
  ): Promise<boolean> {
    return this.move(
      deploy,
      'canceled',
      {},
      {
        details: { reason: by.reason, ...(by.userId === undefined ? {} : { user_id: by.userId }) },
        sameAttempt: false,
      },
    );
  }

  skipped(deploy: Attempt, by: string): Promise<boolean> {
    return this.move(deploy, 'skipped', {}, { details: { superseded_by: by }, sameAttempt: false });
  }

  /**
   * Ends an attempt that came to nothing: the deploy waits for its turn anew. `lost`: its worker was not heard of any
   * more.
   */
  handedBack(attempt: Attempt, reason: 'worker_lost' | 'worker_stopped'): Promise<boolean> {
    return this.database.transaction(async () => {
      const before = await this.deploys.lock(attempt.id);
      const happened = await this.deploys.change(
        attempt.id,
        { states: AT_WORK, attempt: attempt.attempt },
        {
          state: HANDED_BACK,
          admittedAt: null,
          leaseUntil: null,
          workerId: null,
          losses: before.losses + (reason === 'worker_lost' ? 1 : 0),
        },
      );
      if (!happened) return false;
      await this.record(attempt, 'handed_back', { from: before.state, to: HANDED_BACK }, { reason });
      await this.tellAfterCommit(attempt, HANDED_BACK);
      this.metrics.lost(reason);
      return true;
    });
  }

  /** Tells that hosts lead to it from now on, with the running transaction. */
  async live(
    deploy: Attempt,
    hosts: readonly string[],
    reason: 'deployed' | 'promoted' | 'rolled_back',
  ): Promise<void> {
    await this.record(deploy, 'live', {}, { hosts, reason });
  }

  private move(
    attempt: Attempt,
    to: DeployState,
    change: DeployChange,
    { details = {}, sameAttempt = true }: Circumstances = {},
  ): Promise<boolean> {
    return this.database.transaction(async () => {
      const before = await this.deploys.lock(attempt.id);
      const ended = isOver(to) ? { finishedAt: this.clock.now(), leaseUntil: null } : {};
      const from = { states: sourcesOf(to), attempt: sameAttempt ? attempt.attempt : undefined };
      if (!(await this.deploys.change(attempt.id, from, { ...change, ...ended, state: to }))) return false;
      await this.record({ ...attempt, attempt: before.attempt }, 'state', { from: before.state, to }, details);
      await this.tellAfterCommit(attempt, to);
      return true;
    });
  }

  private async record(
    { id, attempt }: Pick<Attempt, 'id' | 'attempt'>,
    kind: DeployEventKind,
    states: { from?: DeployState; to?: DeployState },
    details: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    await this.deploys.record({
      deployId: id,
      at: this.clock.now(),
      attempt,
      kind,
      from: states.from ?? null,
      to: states.to ?? null,
      details,
    });
  }

  private tellAfterCommit({ id, type }: Pick<Attempt, 'id' | 'type'>, state: DeployState): Promise<void> {
    return this.database.afterCommit(async () => {
      this.metrics.came(state, type);
      await this.signals.tell(id);
    });
  }
}
