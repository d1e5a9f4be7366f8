import assert from 'node:assert/strict';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import type { DeployFailed } from './deploy-failure.js';
import type { DeployOutput, DeploySettings } from './deploy-facts.js';
import { DeploySignals } from './deploy-signals.js';
import { RUNNING_STATES, type DeployState, HANDED_BACK, isOver, sourcesOf } from './deploy-state.js';
import { OrgEvents } from '../../events/org-events.js';
import { DeployMetrics } from '../metrics/deploys.metrics.js';
import type { DeployEventKind } from '../persistence/deploy-event.entity.js';
import { DeployReports } from '../reports/deploy-reports.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import { type DeployChange, DeploysStore } from '../persistence/deploys.store.js';

/** A deploy at one attempt. A transition by an attempt that is no longer the current one has no effect. */
export type Attempt = Pick<Deploy, 'id' | 'attempt' | 'type' | 'state'>;

/** The facts that are stored when a worker begins an attempt. */
export interface Beginning {
  readonly workerId: string;
  /** The lease runs from now, by the clock of the database. */
  readonly leaseMs: number;
  readonly repoUrl: string;
  readonly settings: DeploySettings;
}

interface MoveOptions {
  /** The details of the event. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** False applies the transition to any attempt. */
  readonly sameAttempt?: boolean;
}

/**
 * The only place where a deploy changes its state: one conditional update, with its event in the same transaction. Each
 * method returns whether the transition happened. Of two concurrent transitions the first one wins, and a late one has
 * no effect.
 */
@Injectable()
export class DeployTransitions {
  constructor(
    private readonly database: Database,
    private readonly deploys: DeploysStore,
    private readonly signals: DeploySignals,
    private readonly metrics: DeployMetrics,
    private readonly reports: DeployReports,
    private readonly events: OrgEvents,
    private readonly clock: Clock,
  ) {}

  async queued(deploy: Deploy): Promise<void> {
    assert(this.database.inTransaction, 'A deploy was queued outside a transaction.');
    await this.deploys.insert(deploy);
    await this.record(deploy, 'state', { to: 'queued' }, { trigger: deploy.trigger });
    await this.announce(deploy, 'queued');
    await this.notifyAfterCommit(deploy, 'queued');
    await this.database.afterCommit(() => this.signals.notify(deploy.orgId));
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

  /** Cancels the deploy at any attempt. */
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
   * Ends an attempt without a result and queues the deploy again. `worker_lost` counts as a loss, `worker_stopped` does
   * not.
   */
  handedBack(attempt: Attempt, reason: 'worker_lost' | 'worker_stopped'): Promise<boolean> {
    return this.database.transaction(async () => {
      const before = await this.deploys.lock(attempt.id);
      const happened = await this.deploys.change(
        attempt.id,
        { states: RUNNING_STATES, attempt: attempt.attempt },
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
      await this.announce(before, HANDED_BACK);
      await this.notifyAfterCommit(attempt, HANDED_BACK);
      this.metrics.countHandedBack(reason);
      return true;
    });
  }

  /** Records in the running transaction that hosts lead to the deploy from now on. */
  async live(deploy: Deploy, hosts: readonly string[], reason: 'deployed' | 'promoted' | 'rolled_back'): Promise<void> {
    await this.record(deploy, 'live', {}, { hosts, reason });
    await this.announce(deploy, 'live', { hosts, reason });
  }

  private move(
    attempt: Attempt,
    to: DeployState,
    change: DeployChange,
    { details = {}, sameAttempt = true }: MoveOptions = {},
  ): Promise<boolean> {
    return this.database.transaction(async () => {
      const before = await this.deploys.lock(attempt.id);
      const ended = isOver(to) ? { finishedAt: this.clock.now(), leaseUntil: null } : {};
      const from = { states: sourcesOf(to), attempt: sameAttempt ? attempt.attempt : undefined };
      if (!(await this.deploys.change(attempt.id, from, { ...change, ...ended, state: to }))) return false;
      await this.record({ ...attempt, attempt: before.attempt }, 'state', { from: before.state, to }, details);
      await this.reports.queue(before, to);
      await this.announce(before, to, change.errorCode === undefined ? {} : { error_code: change.errorCode });
      await this.notifyAfterCommit(attempt, to);
      return true;
    });
  }

  private announce(
    { id, orgId, projectId, branch, type }: Deploy,
    state: DeployState | 'live',
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const data = { deploy_id: id, project_id: projectId, branch, deploy_type: type, ...more };
    return this.events.publish({ orgId, type: `deploy.${state}`, data });
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

  private notifyAfterCommit({ id, type }: Pick<Attempt, 'id' | 'type'>, state: DeployState): Promise<void> {
    return this.database.afterCommit(async () => {
      this.metrics.countEnd(state, type);
      await this.signals.notify(id);
    });
  }
}
