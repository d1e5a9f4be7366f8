import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Counter, Gauge } from 'prom-client';
import type { Language } from '../domain/sandbox-runtime.js';
import type { SessionEnd } from '../domain/session-state.js';

const LIVE = 'sandbox_sessions_live';
const STARTED = 'sandbox_sessions_started_total';
const ENDED = 'sandbox_sessions_ended_total';

/** Counts ends in every process, because any process may give up the sessions of a worker that died. */
@Injectable()
export class SessionCounter {
  constructor(@InjectMetric(ENDED) private readonly counter: Counter) {}

  ended(reason: SessionEnd): void {
    this.counter.inc({ reason });
  }
}

@Injectable()
export class SessionMetrics {
  constructor(
    private readonly counter: SessionCounter,
    @InjectMetric(LIVE) private readonly live: Gauge,
    @InjectMetric(STARTED) private readonly startedCounter: Counter,
  ) {}

  /** Reads the sessions of this worker whenever `/metrics` is scraped. */
  watch(read: () => { readonly awake: number; readonly frozen: number }): void {
    Object.assign(this.live, {
      collect: () => {
        for (const [state, count] of Object.entries(read())) this.live.set({ state }, count);
      },
    });
  }

  started(language: Language): void {
    this.startedCounter.inc({ language });
  }

  ended(reason: SessionEnd): void {
    this.counter.ended(reason);
  }
}

export const SESSION_COUNTERS: Provider[] = [
  SessionCounter,
  makeCounterProvider({
    name: ENDED,
    help: 'Sandbox sessions ended by this process, by reason.',
    labelNames: ['reason'],
  }),
];

export const SESSION_METRICS: Provider[] = [
  SessionMetrics,
  makeGaugeProvider({ name: LIVE, help: 'Sandbox sessions of this worker, by state.', labelNames: ['state'] }),
  makeCounterProvider({
    name: STARTED,
    help: 'Sandbox sessions that this worker started, by language.',
    labelNames: ['language'],
  }),
];
