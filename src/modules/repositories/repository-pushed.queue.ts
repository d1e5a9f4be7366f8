import { IsOptional, IsString } from 'class-validator';
import { defineQueue } from '../../platform/queues/queue-definition.js';

/** A branch of a repository of this service now points elsewhere. A push has one of these for each branch that it changed. */
export class RepositoryPushed {
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

export const repositoryPushedQueue = defineQueue({
  name: 'repository-pushed',
  payload: RepositoryPushed,
  attempts: 5,
  backoffMs: 1_000,
  concurrency: 4,
});
