import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Counter, Gauge } from 'prom-client';
import type { ScheduleDefinition } from './define-schedule.js';

const PERIOD = 'schedule_period_seconds';
const LAST_RUN = 'schedule_last_success_timestamp_seconds';
const DURATION = 'schedule_last_run_seconds';
const FAILED = 'schedule_runs_failed_total';

@Injectable()
export class ScheduleMetrics {
  constructor(
    @InjectMetric(PERIOD) private readonly period: Gauge,
    @InjectMetric(LAST_RUN) private readonly lastSuccess: Gauge,
    @InjectMetric(DURATION) private readonly duration: Gauge,
    @InjectMetric(FAILED) private readonly failures: Counter,
  ) {}

  /**
   * Until the first run, the start of the process counts as the last success, so that a schedule that never runs is
   * noticed too.
   */
  started({ name, everyMs }: ScheduleDefinition, at: Date): void {
    this.period.set({ schedule: name }, everyMs / 1000);
    this.lastSuccess.set({ schedule: name }, at.getTime() / 1000);
    this.failures.inc({ schedule: name }, 0);
  }

  succeeded({ name }: ScheduleDefinition, at: Date, seconds: number): void {
    this.lastSuccess.set({ schedule: name }, at.getTime() / 1000);
    this.duration.set({ schedule: name }, seconds);
  }

  /** Records a success of another process. */
  seen({ name }: ScheduleDefinition, succeededAt: Date): void {
    this.lastSuccess.set({ schedule: name }, succeededAt.getTime() / 1000);
  }

  failed({ name }: ScheduleDefinition): void {
    this.failures.inc({ schedule: name });
  }
}

const labelNames = ['schedule'];

export const SCHEDULE_METRICS: Provider[] = [
  ScheduleMetrics,
  makeGaugeProvider({
    name: PERIOD,
    help: 'Time from the end of one run of a schedule to the beginning of the next.',
    labelNames,
  }),
  makeGaugeProvider({
    name: LAST_RUN,
    help: 'Time of the last successful run of a schedule: in any process if only one runs it, else in this one.',
    labelNames,
  }),
  makeGaugeProvider({
    name: DURATION,
    help: 'Duration of the last successful run of a schedule in this process.',
    labelNames,
  }),
  makeCounterProvider({ name: FAILED, help: 'Runs of a schedule that failed in this process.', labelNames }),
];
