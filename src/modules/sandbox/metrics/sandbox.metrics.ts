import { Injectable, type Provider } from '@nestjs/common';
import {
  InjectMetric,
  makeCounterProvider,
  makeGaugeProvider,
  makeHistogramProvider,
} from '@willsoto/nestjs-prometheus';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { ExecutionStatus, Language } from '../domain/sandbox-runtime.js';

const EXECUTIONS = 'sandbox_executions_total';
const RUNNING = 'sandbox_executions_running';
const AVAILABLE = 'sandbox_available';
const POOL_READY = 'sandbox_pool_ready';
const START = 'sandbox_start_seconds';
const LOST = 'sandbox_pool_lost_total';
const FORKS = 'sandbox_fork_server_ready';
const TEMPLATES = 'sandbox_templates_total';

/** The number of sandboxes that are ready for a language. */
export interface PoolReading {
  readonly languages: readonly Language[];
  readonly ready: number;
  /** True while its sandboxes are forks of a template. */
  readonly forks: boolean;
}

/** Counts ends in every process, because any process may give up the executions of a worker that died. */
@Injectable()
export class ExecutionCounter {
  constructor(@InjectMetric(EXECUTIONS) private readonly executions: Counter) {}

  ended(language: Language, outcome: ExecutionStatus | 'cancelled' | 'lost' | 'platform_error'): void {
    this.executions.inc({ language, outcome });
  }
}

@Injectable()
export class SandboxMetrics {
  private runningCount = 0;

  constructor(
    private readonly executions: ExecutionCounter,
    @InjectMetric(RUNNING) private readonly runningGauge: Gauge,
    @InjectMetric(AVAILABLE) private readonly available: Gauge,
    @InjectMetric(POOL_READY) private readonly poolReady: Gauge,
    @InjectMetric(START) private readonly startSeconds: Histogram,
    @InjectMetric(LOST) private readonly lostMembers: Counter,
  ) {}

  /** The active runs of this worker. */
  get running(): number {
    return this.runningCount;
  }

  began(): void {
    this.runningGauge.set(++this.runningCount);
  }

  ended(language: Language, outcome: ExecutionStatus | 'cancelled' | 'platform_error'): void {
    this.runningGauge.set(--this.runningCount);
    this.executions.ended(language, outcome);
  }

  /** @param mode how memory and processes are limited, such as `cgroup-v1`; undefined while nothing can run. */
  setMode(mode: string | undefined): void {
    this.available.reset();
    this.available.set({ mode: mode ?? 'none' }, mode === undefined ? 0 : 1);
  }

  /** Reads the pools whenever `/metrics` is scraped. */
  watchPools(read: () => readonly PoolReading[]): void {
    Object.assign(this.poolReady, {
      collect: () => {
        this.poolReady.reset();
        for (const { languages, ready } of read()) {
          for (const language of languages) this.poolReady.inc({ language }, ready);
        }
      },
    });
  }

  /** A run got its sandbox, from the pool or by a cold start. */
  acquired(language: Language, seconds: number, warm: boolean): void {
    this.startSeconds.observe({ language, start: warm ? 'warm' : 'cold' }, seconds);
  }

  /** A warm sandbox died unused, or could not be started. */
  lost(reason: 'died' | 'start_failed'): void {
    this.lostMembers.inc({ reason });
  }
}

/** The templates from which sandboxes are forked. */
@Injectable()
export class TemplateMetrics {
  constructor(
    @InjectMetric(FORKS) private readonly forks: Gauge,
    @InjectMetric(TEMPLATES) private readonly templates: Counter,
  ) {}

  /** Reads the pools whenever `/metrics` is scraped. */
  watchPools(read: () => readonly PoolReading[]): void {
    Object.assign(this.forks, {
      collect: () => {
        const pools = read();
        for (const language of new Set(pools.flatMap(({ languages }) => languages))) {
          const own = pools.filter(({ languages }) => languages.includes(language));
          this.forks.set({ language }, own.every(({ forks }) => forks) ? 1 : 0);
        }
      },
    });
  }

  count(interpreter: string, outcome: 'started' | 'failed'): void {
    this.templates.inc({ interpreter, outcome });
  }
}

export const EXECUTION_METRICS: Provider[] = [
  ExecutionCounter,
  makeCounterProvider({
    name: EXECUTIONS,
    help: 'Runs ended by this process, by language and outcome.',
    labelNames: ['language', 'outcome'],
  }),
];

export const SANDBOX_METRICS: Provider[] = [
  SandboxMetrics,
  TemplateMetrics,
  makeGaugeProvider({ name: RUNNING, help: 'Active runs in this worker.' }),
  makeGaugeProvider({
    name: AVAILABLE,
    help: '1 while this worker can run code in isolation. The label `mode` says how resources are limited.',
    labelNames: ['mode'],
  }),
  makeGaugeProvider({
    name: POOL_READY,
    help: 'Warm sandboxes that are ready, by language.',
    labelNames: ['language'],
  }),
  makeGaugeProvider({
    name: FORKS,
    help: '1 while sandboxes of a language are forks of a template, 0 while each starts by itself.',
    labelNames: ['language'],
  }),
  makeCounterProvider({
    name: TEMPLATES,
    help: 'Templates of the fork server that started, or failed to start, to be safe or to fork, by outcome.',
    labelNames: ['interpreter', 'outcome'],
  }),
  makeHistogramProvider({
    name: START,
    help: 'Time from when a worker takes a run until its sandbox is ready.',
    labelNames: ['language', 'start'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5],
  }),
  makeCounterProvider({
    name: LOST,
    help: 'Pool sandboxes that died unused or failed to start, by reason.',
    labelNames: ['reason'],
  }),
];
