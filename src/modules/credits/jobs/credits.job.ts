import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const creditsSchedule = defineSchedule({
  name: 'credits',
  summary: 'Charges usage that had no hold, releases holds whose work never reported its end, and expires credits.',
  everyMs: 10_000,
  runsIn: 'one',
});
