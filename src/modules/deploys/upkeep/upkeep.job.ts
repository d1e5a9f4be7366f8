import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const deployEnvReencryptionSchedule = defineSchedule({
  name: 'deploy-env-re-encryption',
  summary: 'Re-encrypts the variables that deploys keep with the newest SECRETS_KEY.',
  everyMs: 3_600_000,
  firstAfterMs: 600_000,
  runsIn: 'one',
});

export const deploySweepSchedule = defineSchedule({
  name: 'deploy-retention',
  summary: 'Deletes the files of deploys that no retention rule keeps, and build logs older than 90 days.',
  everyMs: 3_600_000,
  firstAfterMs: 300_000,
  runsIn: 'each',
});
