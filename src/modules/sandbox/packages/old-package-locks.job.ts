import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const oldPackageLocksSchedule = defineSchedule({
  name: 'old-package-locks',
  summary: 'Forgets what packages of executions resolve to, when an organization has not used them for 90 days.',
  everyMs: 6 * 3_600_000,
  runsIn: 'one',
});
