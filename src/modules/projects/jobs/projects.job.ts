import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const projectEnvReencryptionSchedule = defineSchedule({
  name: 'project-env-re-encryption',
  summary: 'Re-encrypts project variables with the newest SECRETS_KEY.',
  everyMs: 3_600_000,
  firstAfterMs: 600_000,
  runsIn: 'one',
});
