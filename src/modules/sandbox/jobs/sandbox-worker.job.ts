import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const sandboxWorkerSchedule = defineSchedule({
  name: 'sandbox-worker',
  summary: 'Reports whether this worker can isolate code, and its capacity, from which queue times are estimated.',
  everyMs: 1_000,
  runsIn: 'each',
});
