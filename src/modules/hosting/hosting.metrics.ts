import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider, makeGaugeProvider, makeHistogramProvider } from '@willsoto/nestjs-prometheus';
import { Counter, Gauge, Histogram } from 'prom-client';
import { AppServersService } from './app-servers.service.js';

const REQUESTS = 'app_requests_total';
const SECONDS = 'app_request_seconds';
const SERVERS = 'app_servers';
const STARTS = 'app_server_starts_total';
const CRASHES = 'app_server_crashes_total';

/** Who answered a request to an app: one of its files or rules, its server, or we in its place. */
export type AnsweredBy = 'static' | 'server' | 'platform';

/** `ok`: below 400; `hung_up`: the caller went away first. */
export type AppResult = 'ok' | 'client_error' | 'server_error' | 'hung_up';

interface Handles {
  readonly requests: Counter.Internal;
  readonly seconds: Histogram.Internal<string>;
}

@Injectable()
export class HostingMetrics {
  private readonly handles = new Map<string, Handles>();

  constructor(
    @InjectMetric(REQUESTS) private readonly requests: Counter,
    @InjectMetric(SECONDS) private readonly seconds: Histogram,
    servers: AppServersService,
    @InjectMetric(SERVERS) running: Gauge,
    @InjectMetric(STARTS) starts: Counter,
    @InjectMetric(CRASHES) crashes: Counter,
  ) {
    // Read when `/metrics` is.
    Object.assign(running, {
      collect: () => {
        running.set({ state: 'running' }, servers.counts.running);
        running.set({ state: 'frozen' }, servers.counts.frozen);
      },
    });
    Object.assign(starts, { collect: () => { starts.reset(); starts.inc(servers.counts.started); } });
    Object.assign(crashes, { collect: () => { crashes.reset(); crashes.inc(servers.counts.crashed); } });
  }

  answered(by: AnsweredBy, result: AppResult, seconds: number): void {
    const key = `${by} ${result}`;
    let handles = this.handles.get(key);
    if (handles === undefined) {
      handles = { requests: this.requests.labels({ by, result }), seconds: this.seconds.labels({ by }) };
      this.handles.set(key, handles);
    }
    handles.requests.inc();
    handles.seconds.observe(seconds);
  }
}

export const HOSTING_METRICS: Provider[] = [
  HostingMetrics,
  makeCounterProvider({ name: REQUESTS, help: 'Requests to apps, by who answered and how it ended.', labelNames: ['by', 'result'] }),
  makeGaugeProvider({ name: SERVERS, help: 'Servers of apps in this process, by state.', labelNames: ['state'] }),
  makeCounterProvider({ name: STARTS, help: 'Servers of apps that this process has started.' }),
  makeCounterProvider({ name: CRASHES, help: 'Servers of apps that ended by themselves.' }),
  makeHistogramProvider({
    name: SECONDS,
    help: 'Time from a request to an app until the end of its answer.',
    labelNames: ['by'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  }),
];
