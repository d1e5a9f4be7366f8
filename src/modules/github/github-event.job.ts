import { IsArray, IsIn, IsInt, IsOptional, IsString } from 'class-validator';
import { defineEvent } from '../../platform/background/define-event.js';

export const GITHUB_EVENTS = ['push', 'installation', 'installation_repositories'] as const;
export type GithubEventKind = (typeof GITHUB_EVENTS)[number];

/** What GitHub has told, signed and for the first time; of it what somebody here needs. */
export class GithubEventPayload {
  @IsIn(GITHUB_EVENTS) readonly kind!: GithubEventKind;
  @IsInt() readonly installationId!: number;
  /** Of an installation: what has become of it. */
  @IsOptional() @IsString() readonly action?: string;
  /** Of a push. */
  @IsOptional() @IsInt() readonly repositoryId?: number;
  @IsOptional() @IsString() readonly cloneUrl?: string;
  @IsOptional() @IsString() readonly branch?: string;
  /** Null: the branch was deleted. */
  @IsOptional() @IsString() readonly commitSha?: string | null;
  /** What the installation does not see any more. */
  @IsOptional() @IsArray() @IsInt({ each: true }) readonly removedRepositoryIds?: number[];
}

export const githubEvent = defineEvent({
  name: 'github-event',
  summary: 'GitHub reported a push or a change of an installation.',
  payload: GithubEventPayload,
});
