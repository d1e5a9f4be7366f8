import { IsOptional, IsString } from 'class-validator';
import { defineSubscription } from '../../../platform/background/define-event.js';
import { defineJob } from '../../../platform/background/define-job.js';
import { defineSchedule } from '../../../platform/background/define-schedule.js';
import { agentDeletedEvent } from '../../agents/agent-deleted.job.js';
import { orgDeletedEvent } from '../../orgs/org-deleted.job.js';

export const agentRunsSchedule = defineSchedule({
  name: 'agent-runs',
  summary: 'Takes runs of agents that are ready, in case a notification was lost.',
  everyMs: 1_000,
  firstAfterMs: 100,
  runsIn: 'each',
});

export const expiredApprovalsSchedule = defineSchedule({
  name: 'expired-approvals',
  summary: 'Expires approvals that nobody decided in time, and lets their runs go on.',
  everyMs: 5_000,
  runsIn: 'one',
});

export const oldRunsSchedule = defineSchedule({
  name: 'old-agent-runs',
  summary: 'Ends runs that have waited for 30 days, and removes the details of runs that ended 90 days ago.',
  everyMs: 3_600_000,
  firstAfterMs: 60_000,
  runsIn: 'one',
});

export const runsAgentDeletedSubscription = defineSubscription(agentDeletedEvent, {
  name: 'runs-agent-deleted',
  summary: 'Cancels the runs of a deleted agent.',
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 4,
});

export const runsOrgDeletedSubscription = defineSubscription(orgDeletedEvent, {
  name: 'runs-org-deleted',
  summary: 'Cancels the runs of a deleted organization.',
  attempts: 10,
  backoffMs: 1_000,
  concurrency: 4,
});

export class ApprovalMailPayload {
  @IsString() readonly approvalId!: string;
  @IsString() readonly orgId!: string;
  /** The person to notify. The first job has none and adds one job for each person. */
  @IsOptional() @IsString() readonly userId?: string;
}

export const approvalMailJob = defineJob({
  name: 'approval-mails',
  summary: 'Notifies the person who started a run, and the owners, that a call waits for approval.',
  payload: ApprovalMailPayload,
  attempts: 8,
  backoffMs: 2_000,
  concurrency: 4,
});
