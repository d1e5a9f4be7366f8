import { IsOptional, IsString } from 'class-validator';
import { defineEvent } from '../../platform/background/define-event.js';

/** A branch of a repository points to another commit. A push publishes one event for each branch that it changed. */
export class RepositoryPushedPayload {
  @IsString() readonly repositoryId!: string;
  @IsString() readonly orgId!: string;
  /** The clone URL, as projects store it. */
  @IsString() readonly repoUrl!: string;
  @IsString() readonly branch!: string;
  /** Null when the branch was deleted. */
  @IsOptional() @IsString() readonly commitSha!: string | null;
  /** The user who pushed; null when unknown. */
  @IsOptional() @IsString() readonly pusherId!: string | null;
}

export const repositoryPushedEvent = defineEvent({
  name: 'repository-pushed',
  summary: 'A branch of a repository points to another commit.',
  payload: RepositoryPushedPayload,
});
