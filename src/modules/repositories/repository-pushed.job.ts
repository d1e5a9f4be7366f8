import { IsOptional, IsString } from 'class-validator';
import { defineEvent } from '../../platform/background/define-event.js';

/**
 * A branch of a repository of this service now points elsewhere. A push has one of these for each branch that it
 * changed.
 */
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

export const repositoryPushedEvent = defineEvent({
  name: 'repository-pushed',
  summary: 'A branch of a repository points to another commit.',
  payload: RepositoryPushedPayload,
});
