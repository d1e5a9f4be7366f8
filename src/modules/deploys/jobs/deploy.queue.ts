import { IsInt, IsString, Min } from 'class-validator';
import { defineQueue } from '../../../platform/queues/queue-definition.js';

/** An attempt of a deploy. All else is in the database. */
export class DeployJob {
  @IsString() readonly deployId!: string;
  @IsInt() @Min(1) readonly attempt!: number;
}

export const deployQueue = defineQueue({
  name: 'deploys',
  payload: DeployJob,
  // Whether a deploy is tried again is not for the queue to say: its lease is in the database.
  attempts: 1,
  backoffMs: 0,
  // What a worker really takes is DEPLOY_CONCURRENCY.
  concurrency: 1,
});

/** So that whoever knows the deploy can end its job. */
export const jobIdOf = ({ deployId, attempt }: DeployJob): string => `${deployId}-${attempt}`;
