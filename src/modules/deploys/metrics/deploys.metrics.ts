import { Injectable, type Provider } from '@nestjs/common';
import {
  InjectMetric,
  makeCounterProvider,
  makeGaugeProvider,
  makeHistogramProvider,
} from '@willsoto/nestjs-prometheus';
import { Counter, Gauge, Histogram } from 'prom-client';
import { type DeployState, type DeployType, isOver } from '../domain/deploy-state.js';
import { AdmissionStore } from '../persistence/admission.store.js';

const DEPLOYS = 'deploys_total';
const PHASE = 'deploy_phase_seconds';
const HANDED_BACK = 'deploys_handed_back_total';
const WAITING = 'deploys_waiting';
const OLDEST = 'deploys_oldest_waiting_seconds';

@Injectable()
export class DeployMetrics {
  constructor(
    admission: AdmissionStore,
    @InjectMetric(DEPLOYS) private readonly deploys: Counter,
    @InjectMetric(PHASE) private readonly phases: Histogram,
    @InjectMetric(HANDED_BACK) private readonly handedBack: Counter,
    @InjectMetric(WAITING) waiting: Gauge,
    @InjectMetric(OLDEST) oldest: Gauge,
  ) {
    // The gauges are read on each request for `/metrics`. While PostgreSQL is unavailable they keep their last values.
    Object.assign(waiting, {
      collect: async () => {
        const found = await admission.waiting().catch(() => undefined);
        if (found === undefined) return;
        waiting.set(found.count);
        oldest.set(found.oldestSeconds);
      },
    });
  }

  countEnd(state: DeployState, type: DeployType): void {
    if (isOver(state)) this.deploys.inc({ state, target: type });
  }

  countHandedBack(reason: 'worker_lost' | 'worker_stopped'): void {
    this.handedBack.inc({ reason });
  }

  observePhase(phase: string, type: DeployType, seconds: number): void {
    this.phases.observe({ phase, target: type }, seconds);
  }
}

export const DEPLOY_METRICS: Provider[] = [
  DeployMetrics,
  makeCounterProvider({
    name: DEPLOYS,
    help: 'Deploys that this process ended, by final state and target.',
    labelNames: ['state', 'target'],
  }),
  makeHistogramProvider({
    name: PHASE,
    help: 'Time that deploys spent in each phase.',
    labelNames: ['phase', 'target'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800],
  }),
  makeCounterProvider({
    name: HANDED_BACK,
    help: 'Attempts that ended without a result because their worker was lost or stopped.',
    labelNames: ['reason'],
  }),
  makeGaugeProvider({ name: WAITING, help: 'Queued deploys in the whole service.' }),
  makeGaugeProvider({ name: OLDEST, help: 'Age of the oldest queued deploy.' }),
];
