import { IsOptional, IsString } from 'class-validator';
import { defineJob } from '../../platform/background/define-job.js';

/** A branch of a repository of this service now points elsewhere. A push has one of these for each branch that it changed. */
export class RepositoryPushedPayload {
  @IsString() readonly repositoryId!: string;
  @IsString() readonly orgId!: string;
  /** As projects name it. */
  @IsString() readonly repoUrl!: string;
  @IsString() readonly branch!: string;
  /** Null: the branch was deleted. */
  @IsOptional() @IsString() readonly commitSha!: string | null;
  /** Who pushed; null where that is not known any more. */
  @IsOptional() @IsString() readonly pusherId!: string | null;
}

export const repositoryPushedEvent = defineJob({
  name: 'repository-pushed',
  payload: RepositoryPushedPayload,
  attempts: 5,
  backoffMs: 1_000,
  concurrency: 4,
});
