import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Counter, Gauge } from 'prom-client';
import { Clock } from '../../../platform/time/clock.js';
import { SEVERITIES } from '../domain/ops-task-status.js';
import { OpsTasksStore } from '../persistence/ops-tasks.store.js';

const TASKS = 'ops_tasks';
const UNCLAIMED = 'ops_task_oldest_unclaimed_seconds';
const ALERTS = 'ops_alerts_total';

interface Taken {
  readonly created: number;
  readonly updated: number;
  readonly resolved: number;
  readonly ignored: number;
  readonly rejected: readonly unknown[];
}

@Injectable()
export class OpsMetrics {
  private reading: Promise<void> | undefined;

  constructor(
    private readonly store: OpsTasksStore,
    private readonly clock: Clock,
    @InjectMetric(TASKS) private readonly tasks: Gauge,
    @InjectMetric(UNCLAIMED) private readonly unclaimed: Gauge,
    @InjectMetric(ALERTS) private readonly alerts: Counter,
  ) {
    // One query returns the figures of both metrics, and each waits for it.
    const collect = (): Promise<void> =>
      (this.reading ??= this.readTasks().finally(() => {
        this.reading = undefined;
      }));
    Object.assign(tasks, { collect });
    Object.assign(unclaimed, { collect });
  }

  taken({ created, updated, resolved, ignored, rejected }: Taken): void {
    for (const [result, count] of Object.entries({ created, updated, resolved, ignored, rejected: rejected.length }))
      this.alerts.inc({ result }, count);
  }

  /** Runs when `/metrics` is read. While the database is unavailable, the last figures stay. */
  private async readTasks(): Promise<void> {
    try {
      const now = this.clock.now();
      const { open, claimed, oldestOpenBySeverity } = await this.store.figures(now);
      this.tasks.set({ status: 'open' }, open);
      this.tasks.set({ status: 'claimed' }, claimed);
      for (const severity of SEVERITIES) {
        const oldest = oldestOpenBySeverity[severity];
        this.unclaimed.set({ severity }, oldest === undefined ? 0 : (now.getTime() - oldest.getTime()) / 1000);
      }
    } catch {
      // Readiness reports that the database is unavailable.
    }
  }
}

export const OPS_METRICS: Provider[] = [
  OpsMetrics,
  makeGaugeProvider({
    name: TASKS,
    help: 'Unresolved operator tasks by status.',
    labelNames: ['status'],
  }),
  makeGaugeProvider({
    name: UNCLAIMED,
    help: 'Age of the oldest task that is neither claimed nor silenced, by severity; 0 when there is none.',
    labelNames: ['severity'],
  }),
  makeCounterProvider({
    name: ALERTS,
    help: 'Alerts received by POST /ops/alert, by outcome.',
    labelNames: ['result'],
  }),
];
