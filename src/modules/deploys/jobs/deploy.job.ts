import { IsInt, IsString, Min } from 'class-validator';
import { defineJob } from '../../../platform/background/define-job.js';
import { DeploysSettings } from '../deploys.settings.js';

/** The job of one attempt. Everything else is in the database. */
export class DeployPayload {
  @IsString() readonly deployId!: string;
  @IsInt() @Min(1) readonly attempt!: number;
}

export const deployJob = defineJob({
  name: 'deploys',
  summary: 'Builds a deploy and takes it live.',
  payload: DeployPayload,
  // The queue never retries a deploy. Its lease in the database decides whether there is another attempt.
  attempts: 1,
  backoffMs: 0,
  concurrency: 1,
  concurrencyOf: (settings) => settings.of(DeploysSettings).concurrency,
});

/** The id follows from the deploy, so that its job can be ended without a search. */
export const jobIdOf = ({ deployId, attempt }: DeployPayload): string => `${deployId}-${attempt}`;
