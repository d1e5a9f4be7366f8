import { IsArray, IsIn, IsInt, IsOptional, IsString } from 'class-validator';
import { defineEvent } from '../../platform/background/define-event.js';

export const GITHUB_EVENTS = ['push', 'installation', 'installation_repositories'] as const;
export type GithubEventKind = (typeof GITHUB_EVENTS)[number];

/** A signed event of GitHub, reduced to the fields that its handlers need. Repeated deliveries are filtered out. */
export class GithubEventPayload {
  @IsIn(GITHUB_EVENTS) readonly kind!: GithubEventKind;
  @IsInt() readonly installationId!: number;
  /** Set for an installation: the change. */
  @IsOptional() @IsString() readonly action?: string;
  /** Set for a push. */
  @IsOptional() @IsInt() readonly repositoryId?: number;
  @IsOptional() @IsString() readonly cloneUrl?: string;
  @IsOptional() @IsString() readonly branch?: string;
  /** Null when the branch was deleted. */
  @IsOptional() @IsString() readonly commitSha?: string | null;
  /** The beginning of the commit's message, if GitHub says it. */
  @IsOptional() @IsString() readonly commitMessage?: string;
  /** Repositories that the installation can no longer access. */
  @IsOptional() @IsArray() @IsInt({ each: true }) readonly removedRepositoryIds?: number[];
}

export const githubEvent = defineEvent({
  name: 'github-event',
  summary: 'GitHub reported a push or a change of an installation.',
  payload: GithubEventPayload,
});
