import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const externalSignInsSchedule = defineSchedule({
  name: 'external-sign-ins',
  summary: 'Deletes sign-ins through providers and of programs that were not completed within ten minutes.',
  everyMs: 10 * 60_000,
  runsIn: 'one',
});
