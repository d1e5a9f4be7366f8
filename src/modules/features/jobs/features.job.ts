import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const featureFlagsSchedule = defineSchedule({
  name: 'feature-flags',
  summary: 'Reads the feature flags again, in case a notification of a change was lost.',
  everyMs: 5_000,
  runsIn: 'each',
  roles: ['api', 'edge', 'worker'],
});
