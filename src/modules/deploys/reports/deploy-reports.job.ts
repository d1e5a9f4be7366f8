import { IsString } from 'class-validator';
import { defineJob } from '../../../platform/background/define-job.js';

/** What is reported is read when the job runs, so that a late report is never an old one. */
export class DeployReportPayload {
  @IsString() readonly deployId!: string;
}

export const deployReportJob = defineJob({
  name: 'deploy-reports',
  summary: 'Reports the state of a deploy to GitHub: the status of the commit, and a comment on the pull request.',
  payload: DeployReportPayload,
  attempts: 8,
  backoffMs: 5_000,
  concurrency: 4,
});
