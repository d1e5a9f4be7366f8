import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { OrgOfPath } from '../../orgs/org-of-path.js';
import { AUDIT_TYPE } from '../domain/webhook-types.js';
import { publicTargetOf } from '../../../platform/egress/public-target.js';
import type { WebhookEndpoint } from '../persistence/webhook-rows.js';
import { WebhookEndpointsStore } from '../persistence/webhook-endpoints.store.js';
import { TooManyWebhookEndpoints, WebhookUrlRefused } from '../webhooks.errors.js';
import { WebhooksSettings } from '../webhooks.settings.js';

const MAX_ENDPOINTS = 10;

/** Decides who may manage webhooks, and where to. */
@Injectable()
export class EndpointAccess {
  constructor(
    private readonly paths: OrgOfPath,
    private readonly orgs: OrgDirectory,
    private readonly endpoints: WebhookEndpointsStore,
    private readonly settings: WebhooksSettings,
  ) {}

  /**
   * Returns the id of the organization. Reading needs the same scope as writing, because messages contain all events
   * of the organization, whatever the rights of the caller.
   *
   * @throws {OrganizationNotFound} `organization_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  orgOf(call: Call, orgIdOrSlug: string): string {
    return this.paths.require(call, orgIdOrSlug, 'orgs:write').id;
  }

  /**
   * Entries of the audit log need their own scope too, as a key may have the other one without it.
   *
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  requireTypes({ principal }: Call, orgId: string, types: readonly string[]): void {
    if (types.includes(AUDIT_TYPE)) principal.require('audit:read', orgId);
  }

  /** @throws {WebhookUrlRefused} `invalid_request` */
  requireTarget(url: string): void {
    if (publicTargetOf(url, { trusted: this.settings.trustedHosts }) === undefined) throw new WebhookUrlRefused();
  }

  /** Locks the organization in the running transaction. @throws {TooManyWebhookEndpoints} `invalid_request` */
  async lockRoom(call: Call, orgId: string): Promise<void> {
    await this.orgs.lockAndGetPlan(call, orgId);
    if ((await this.endpoints.count(orgId)) >= MAX_ENDPOINTS) throw new TooManyWebhookEndpoints(MAX_ENDPOINTS);
  }

  /** Writes to the audit log in the running transaction. The URL is left out but for its host: it may hold a secret. */
  async record(
    action: `webhook_endpoint.${string}`,
    { id, orgId, url, state }: WebhookEndpoint,
    by: Call | undefined,
  ): Promise<void> {
    const details = { host: new URL(url).host, state };
    await this.orgs.record({ orgId, action, target: { type: 'webhook_endpoint', id }, details }, by);
  }
}
