import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const accessKeyUsageSchedule = defineSchedule({
  name: 'storage-access-key-usage',
  summary: 'Writes when access keys of object storage were last used in this process.',
  everyMs: 5_000,
  runsIn: 'each',
  roles: ['api', 'edge', 'worker'],
});

export const expiredAccessKeysSchedule = defineSchedule({
  name: 'expired-storage-access-keys',
  summary: 'Deletes access keys of object storage 30 days after they expired.',
  everyMs: 3_600_000,
  runsIn: 'one',
});
