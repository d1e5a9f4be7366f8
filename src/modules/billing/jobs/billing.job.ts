import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const monthClosingSchedule = defineSchedule({
  name: 'month-closing',
  summary: 'Closes months that are over and issues their invoices.',
  everyMs: 10 * 60_000,
  runsIn: 'one',
});

export const overdueInvoicesSchedule = defineSchedule({
  name: 'overdue-invoices',
  summary: 'Marks invoices that were not paid in time, and deletes payment events older than 90 days.',
  everyMs: 10 * 60_000,
  runsIn: 'one',
});

export const plannedChangesSchedule = defineSchedule({
  name: 'planned-plan-changes',
  summary: 'Applies plan changes whose time has come.',
  everyMs: 15_000,
  runsIn: 'one',
});
