import { Injectable, type Provider } from '@nestjs/common';
import {
  InjectMetric,
  makeCounterProvider,
  makeGaugeProvider,
  makeHistogramProvider,
} from '@willsoto/nestjs-prometheus';
import { Counter, Gauge, Histogram } from 'prom-client';
import { HistogramCounts, reportAs } from '../../../platform/metrics/histogram-counts.js';
import { AppServersService } from '../app-servers.service.js';

const REQUESTS = 'app_requests_total';
const SECONDS = 'app_request_seconds';
const SECONDS_HELP = 'Time from a request to an app until the end of its answer.';
const SERVERS = 'app_servers';
const STARTS = 'app_server_starts_total';
const CRASHES = 'app_server_crashes_total';

/** Who answered a request to an app: its files and rules, its server, or the platform in its place. */
export type AnsweredBy = 'static' | 'server' | 'platform';

/** `ok` means a status below 400, and `hung_up` that the caller disconnected first. */
export type AppResult = 'ok' | 'client_error' | 'server_error' | 'hung_up';

const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const BY: readonly AnsweredBy[] = ['static', 'server', 'platform'];

@Injectable()
export class HostingMetrics {
  private readonly tallies: Readonly<Record<AnsweredBy, Tally>> = {
    static: new Tally(),
    server: new Tally(),
    platform: new Tally(),
  };

  constructor(
    @InjectMetric(REQUESTS) requests: Counter,
    @InjectMetric(SECONDS) seconds: Histogram,
    servers: AppServersService,
    @InjectMetric(SERVERS) running: Gauge,
    @InjectMetric(STARTS) starts: Counter,
    @InjectMetric(CRASHES) crashes: Counter,
  ) {
    // The values are collected whenever `/metrics` is scraped.
    Object.assign(requests, {
      collect: () => {
        requests.reset();
        for (const by of BY)
          for (const [result, count] of this.tallies[by].results) requests.inc({ by, result }, count);
      },
    });
    reportAs(seconds, { name: SECONDS, help: SECONDS_HELP }, () =>
      BY.flatMap((by) => this.tallies[by].times.samples(SECONDS, { by })),
    );
    Object.assign(running, {
      collect: () => {
        running.set({ state: 'running' }, servers.counts.running);
        running.set({ state: 'frozen' }, servers.counts.frozen);
      },
    });
    Object.assign(starts, {
      collect: () => {
        starts.reset();
        starts.inc(servers.counts.started);
      },
    });
    Object.assign(crashes, {
      collect: () => {
        crashes.reset();
        crashes.inc(servers.counts.crashed);
      },
    });
  }

  answered(by: AnsweredBy, result: AppResult, seconds: number): void {
    this.tallies[by].add(result, seconds);
  }
}

class Tally {
  readonly times = new HistogramCounts(BUCKETS);
  private readonly counts: Record<AppResult, number> = { ok: 0, client_error: 0, server_error: 0, hung_up: 0 };

  add(result: AppResult, seconds: number): void {
    this.counts[result]++;
    this.times.observe(seconds);
  }

  get results(): [string, number][] {
    return Object.entries(this.counts).filter(([, count]) => count > 0);
  }
}

export const HOSTING_METRICS: Provider[] = [
  HostingMetrics,
  makeCounterProvider({
    name: REQUESTS,
    help: 'Requests to apps, by responder and result.',
    labelNames: ['by', 'result'],
  }),
  makeGaugeProvider({ name: SERVERS, help: 'App servers in this process, by state.', labelNames: ['state'] }),
  makeCounterProvider({ name: STARTS, help: 'App servers started by this process.' }),
  makeCounterProvider({ name: CRASHES, help: 'App servers that ended by themselves.' }),
  makeHistogramProvider({ name: SECONDS, help: SECONDS_HELP, labelNames: ['by'], buckets: BUCKETS }),
];
