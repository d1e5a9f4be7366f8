import { IsInt, IsString, Min } from 'class-validator';
import { defineJob } from '../../../platform/background/define-job.js';
import { DeploysSettings } from '../deploys.settings.js';

/** An attempt of a deploy. All else is in the database. */
export class DeployPayload {
  @IsString() readonly deployId!: string;
  @IsInt() @Min(1) readonly attempt!: number;
}

export const deployJob = defineJob({
  name: 'deploys',
  summary: 'Builds a deploy and takes it live.',
  payload: DeployPayload,
  // Whether a deploy is tried again is not for the queue to say: its lease is in the database.
  attempts: 1,
  backoffMs: 0,
  concurrency: 1,
  concurrencyOf: (settings) => settings.of(DeploysSettings).concurrency,
});

/** So that whoever knows the deploy can end its job. */
export const jobIdOf = ({ deployId, attempt }: DeployPayload): string => `${deployId}-${attempt}`;
