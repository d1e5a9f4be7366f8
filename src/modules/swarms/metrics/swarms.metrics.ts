import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Gauge } from 'prom-client';
import { Log } from '../../../platform/logging/log.js';
import { readOnScrape } from '../../../platform/metrics/read-on-scrape.js';
import { TASK_STATES } from '../persistence/swarm-rows.js';
import { SwarmTasksStore } from '../persistence/swarm-tasks.store.js';
import { SwarmsStore } from '../persistence/swarms.store.js';

const TASKS = 'swarm_tasks';
const STALLED = 'swarms_stalled';

/** Gauges that are read from the database on each request for `/metrics`; the worker exports them. */
@Injectable()
class SwarmGauges {
  constructor(
    store: SwarmTasksStore,
    swarms: SwarmsStore,
    @InjectMetric(TASKS) tasks: Gauge,
    @InjectMetric(STALLED) stalled: Gauge,
    log: Log,
  ) {
    const readTasks = async (): Promise<void> => {
      const counts = await store.figures();
      for (const state of TASK_STATES) tasks.set({ state }, counts[state]);
    };
    const readStalled = async (): Promise<void> => {
      stalled.set(await swarms.countStalled());
    };
    readOnScrape({ gauges: [tasks], read: readTasks, log });
    readOnScrape({ gauges: [stalled], read: readStalled, log });
  }
}

export const SWARM_METRICS: Provider[] = [
  SwarmGauges,
  makeGaugeProvider({
    name: TASKS,
    help: 'Tasks of swarms that are active, by state.',
    labelNames: ['state'],
  }),
  makeGaugeProvider({
    name: STALLED,
    help: 'Swarms that are stalled: nothing on their board can move.',
  }),
];
