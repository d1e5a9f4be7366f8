import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const storageSamplingSchedule = defineSchedule({
  name: 'storage-sampling',
  summary: 'Measures what organizations store, once an hour, and records it as usage.',
  everyMs: 60_000,
  runsIn: 'one',
});

export const usageReconciliationSchedule = defineSchedule({
  name: 'usage-reconciliation',
  summary: 'Compares usage totals with the events that they sum up.',
  everyMs: 60 * 60_000,
  firstAfterMs: 60_000,
  // Each process reports what it found. A gauge that only another process corrects would stay wrong here.
  runsIn: 'each',
});
