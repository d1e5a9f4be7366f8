import { Injectable } from '@nestjs/common';
import { EmailNotVerified } from '../auth/access.errors.js';
import { AuthSettings } from '../auth/auth.settings.js';
import type { Call } from '../auth/caller.js';
import { Features } from '../features/features.js';
import { deployLabel } from '../hosting/labels.js';
import type { LogLine } from './domain/deploy-facts.js';
import type { DeployState, DeployType } from './domain/deploy-state.js';
import { DeployLogStore } from './persistence/deploy-log.store.js';
import type { Deploy } from './persistence/deploy.entity.js';
import { DeployRequests } from './requests/deploy-requests.js';
import { DeploysService } from './requests/deploys.service.js';
import { ProjectHosts } from './requests/project-hosts.js';

/** A deploy as other modules see it. */
export interface OrgDeploy {
  readonly id: string;
  readonly projectId: string;
  readonly branch: string;
  readonly type: DeployType;
  readonly state: DeployState;
  readonly commitSha: string | null;
  /** Answers once the deploy is ready. */
  readonly url: string;
  readonly failure: { readonly code: string; readonly message: string } | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

/** Requests and reads deploys for other modules, with the permissions of a caller. */
@Injectable()
export class OrgDeploysService {
  constructor(
    private readonly settings: AuthSettings,
    private readonly features: Features,
    private readonly requests: DeployRequests,
    private readonly deploys: DeploysService,
    private readonly lines: DeployLogStore,
    private readonly hosts: ProjectHosts,
  ) {}

  /**
   * Queues a deploy of a branch, in the caller's transaction if there is one.
   *
   * @throws as {@link DeployRequests.request}.
   * @throws {FeatureDisabled} `feature_disabled`
   * @throws {EmailNotVerified} `email_not_verified`
   */
  async request(
    call: Call,
    projectIdOrSlug: string,
    { branch, type }: { readonly branch?: string | undefined; readonly type: DeployType },
  ): Promise<OrgDeploy> {
    this.features.require('deploys');
    if (this.settings.needsVerification(call.principal.user.emailVerified)) throw new EmailNotVerified();
    return this.shown(await this.requests.request(call, projectIdOrSlug, { branch, type, force: false }));
  }

  /** Returns the newest deploys of a project. @throws as {@link DeploysService.list}. */
  async newest(call: Call, projectIdOrSlug: string, limit: number): Promise<OrgDeploy[]> {
    const { items } = await this.deploys.list(call, projectIdOrSlug, {}, { limit, after: undefined });
    return items.map((deploy) => this.shown(deploy));
  }

  /** Returns a deploy with the last lines of its log, oldest first. @throws as {@link DeploysService.get}. */
  async withLog(call: Call, id: string, limit: number): Promise<OrgDeploy & { readonly lines: readonly LogLine[] }> {
    const deploy = await this.deploys.get(call, id, 'deploys:read');
    return { ...this.shown(deploy), lines: await this.lines.last(id, limit) };
  }

  private shown(deploy: Deploy): OrgDeploy {
    const { id, projectId, branch, type, state, commitSha, errorCode, errorMessage, createdAt, finishedAt } = deploy;
    const failure = errorCode === null || errorMessage === null ? null : { code: errorCode, message: errorMessage };
    const url = this.hosts.urlOf(deployLabel(id));
    return { id, projectId, branch, type, state, commitSha, url, failure, createdAt, finishedAt };
  }
}
