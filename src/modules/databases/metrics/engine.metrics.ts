import { Injectable, type Provider } from '@nestjs/common';
import {
  InjectMetric,
  makeCounterProvider,
  makeGaugeProvider,
  makeHistogramProvider,
} from '@willsoto/nestjs-prometheus';
import { Counter, Gauge, Histogram } from 'prom-client';
import { reportAs } from '../../../platform/metrics/histogram-counts.js';
import { ClusterNews, WAKE_BUCKETS } from '../engine/own/cluster-news.js';
import { HostedEngine } from '../engine/hosted-engine.js';

const DATABASES = 'databases';
const WAKES = 'database_wakes_total';
const WAKE_FAILURES = 'database_wake_failures_total';
const WAKE_SECONDS = 'database_wake_seconds';
const WAKE_HELP = 'Time until the server of a sleeping database answers.';
const OOM = 'database_oom_total';

/** The metrics of the engine. Its values are read whenever `/metrics` is scraped. */
@Injectable()
class EngineMetrics {
  constructor(
    @InjectMetric(DATABASES) databases: Gauge,
    @InjectMetric(WAKES) wakes: Counter,
    @InjectMetric(WAKE_FAILURES) failures: Counter,
    @InjectMetric(WAKE_SECONDS) seconds: Histogram,
    @InjectMetric(OOM) oom: Counter,
    engine: HostedEngine,
    news: ClusterNews,
  ) {
    Object.assign(databases, {
      collect: () => {
        for (const [activity, count] of countsOf(engine)) databases.set({ activity }, count);
      },
    });
    Object.assign(wakes, {
      collect: () => {
        wakes.reset();
        wakes.inc(news.wakesTotal);
      },
    });
    Object.assign(failures, {
      collect: () => {
        failures.reset();
        failures.inc(news.wakeFailuresTotal);
      },
    });
    Object.assign(oom, {
      collect: () => {
        oom.reset();
        oom.inc(news.oomTotal);
      },
    });
    reportAs(seconds, { name: WAKE_SECONDS, help: WAKE_HELP }, () => news.wakes.samples(WAKE_SECONDS, {}));
  }
}

function countsOf(engine: HostedEngine): Map<string, number> {
  const awake = engine.activities.filter(({ activity }) => activity !== 'asleep');
  const counts = new Map([
    ['active', 0],
    ['idle', 0],
    ['frozen', 0],
    ['asleep', Math.max(0, engine.count - awake.length)],
  ]);
  for (const { activity } of awake) counts.set(activity, (counts.get(activity) ?? 0) + 1);
  return counts;
}

export const ENGINE_METRICS: Provider[] = [
  EngineMetrics,
  makeGaugeProvider({ name: DATABASES, help: 'Databases of this host, by activity.', labelNames: ['activity'] }),
  makeCounterProvider({ name: WAKES, help: 'Sleeping databases that were woken by this process.' }),
  makeCounterProvider({ name: WAKE_FAILURES, help: 'Sleeping databases whose server did not start.' }),
  makeHistogramProvider({ name: WAKE_SECONDS, help: WAKE_HELP, buckets: WAKE_BUCKETS }),
  makeCounterProvider({ name: OOM, help: 'Servers of databases that have ended because memory ran out.' }),
];
