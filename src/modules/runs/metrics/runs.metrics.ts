import { Injectable, type Provider } from '@nestjs/common';
import {
  InjectMetric,
  makeCounterProvider,
  makeGaugeProvider,
  makeHistogramProvider,
} from '@willsoto/nestjs-prometheus';
import { Counter, Gauge, Histogram } from 'prom-client';
import { Log } from '../../../platform/logging/log.js';
import { readOnScrape } from '../../../platform/metrics/read-on-scrape.js';
import { ApprovalsStore } from '../persistence/approvals.store.js';
import { RunClaimsStore } from '../persistence/run-claims.store.js';
import { RunsStore } from '../persistence/runs.store.js';
import type { EndedRun } from '../new-run.js';
import type { RunTrigger } from '../domain/run-state.js';

const RUNS = 'agent_runs';
const ENDED = 'agent_runs_total';
const WAIT = 'agent_run_wait_seconds';
const OLDEST = 'agent_runs_oldest_ready_seconds';
const OVERHEAD = 'agent_step_overhead_seconds';
const CALLS = 'agent_tool_calls_total';
const APPROVALS = 'agent_approvals_waiting';
const LEASES_LOST = 'agent_leases_lost_total';

@Injectable()
export class RunMetrics {
  constructor(
    @InjectMetric(ENDED) private readonly runsEnded: Counter,
    @InjectMetric(WAIT) private readonly waits: Histogram,
    @InjectMetric(OVERHEAD) private readonly overhead: Histogram,
    @InjectMetric(CALLS) private readonly calls: Counter,
    @InjectMetric(LEASES_LOST) private readonly leasesLost: Counter,
  ) {}

  ended(trigger: RunTrigger, outcome: EndedRun['state']): void {
    this.runsEnded.inc({ trigger, outcome });
  }

  /** The time from the creation of a run until a worker took it. */
  started(seconds: number): void {
    this.waits.observe(Math.max(0, seconds));
  }

  /** The time of a step without the model and its tools. */
  stepped(seconds: number): void {
    this.overhead.observe(seconds);
  }

  called(tool: string, outcome: string): void {
    this.calls.inc({ tool, outcome });
  }

  leaseLost(): void {
    this.leasesLost.inc();
  }
}

/** Gauges that are read from the database on each request for `/metrics`; the worker exports them. */
@Injectable()
class RunGauges {
  constructor(
    runs: RunsStore,
    claims: RunClaimsStore,
    approvals: ApprovalsStore,
    @InjectMetric(RUNS) active: Gauge,
    @InjectMetric(OLDEST) oldest: Gauge,
    @InjectMetric(APPROVALS) waiting: Gauge,
    log: Log,
  ) {
    const readActive = async (): Promise<void> => {
      const counts = await runs.countByState();
      active.reset();
      for (const { state, count } of counts) active.set({ state }, count);
    };
    const readOldest = async (): Promise<void> => {
      oldest.set(await claims.oldestReadySeconds());
    };
    const readWaiting = async (): Promise<void> => {
      waiting.set(await approvals.waitingCount());
    };
    readOnScrape({ gauges: [active], read: readActive, log });
    readOnScrape({ gauges: [oldest], read: readOldest, log });
    readOnScrape({ gauges: [waiting], read: readWaiting, log });
  }
}

export const RUN_METRICS: Provider[] = [
  RunMetrics,
  makeCounterProvider({
    name: ENDED,
    help: 'Runs of agents that ended.',
    labelNames: ['trigger', 'outcome'],
  }),
  makeHistogramProvider({
    name: WAIT,
    help: 'Time from the creation of a run until a worker took it.',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800],
  }),
  makeHistogramProvider({
    name: OVERHEAD,
    help: 'Time of a step of a run without the model and its tools.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1],
  }),
  makeCounterProvider({
    name: CALLS,
    help: 'Calls of tools by runs that ended.',
    labelNames: ['tool', 'outcome'],
  }),
  makeCounterProvider({ name: LEASES_LOST, help: 'Runs that lost their worker before it handed them back.' }),
];

export const RUN_GAUGES: Provider[] = [
  RunGauges,
  makeGaugeProvider({ name: RUNS, help: 'Active runs of agents.', labelNames: ['state'] }),
  makeGaugeProvider({ name: OLDEST, help: 'Age of the run that has been ready for a worker for longest.' }),
  makeGaugeProvider({ name: APPROVALS, help: 'Calls of tools that wait for the approval of a person.' }),
];
