import { defineSchedule } from '../background/define-schedule.js';

export const reencryptionSchedule = defineSchedule({
  name: 're-encryption',
  summary: 'Re-encrypts what was encrypted with an older SECRETS_KEY.',
  everyMs: 3_600_000,
  firstAfterMs: 600_000,
  runsIn: 'one',
});
