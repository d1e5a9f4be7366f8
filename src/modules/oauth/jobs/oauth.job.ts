import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const expiredOauthSchedule = defineSchedule({
  name: 'expired-oauth',
  summary: 'Ends grants of OAuth clients that were idle for 30 days, and deletes expired codes and tokens.',
  everyMs: 10 * 60_000,
  runsIn: 'one',
});

export const oauthSigningKeysSchedule = defineSchedule({
  name: 'oauth-signing-keys',
  summary: 'Creates the next key that signs access tokens after 90 days, and deletes the one before a day later.',
  everyMs: 60 * 60_000,
  runsIn: 'one',
});
