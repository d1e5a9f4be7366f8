import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import type { WebhookType } from '../domain/webhook-types.js';
import { WebhookEndpointNotFound } from '../webhooks.errors.js';
import { WEBHOOK_ENDPOINT_ID } from '../webhooks.ids.js';
import { WebhookDeliveriesStore } from '../persistence/webhook-deliveries.store.js';
import type { EndpointState, WebhookEndpoint } from '../persistence/webhook-rows.js';
import { WebhookEndpointsStore } from '../persistence/webhook-endpoints.store.js';
import { EndpointAccess } from './endpoint-access.js';
import { EndpointSecrets } from './endpoint-secrets.js';

export interface CreateWebhookEndpointInput {
  readonly url: string;
  readonly description: string;
  /** Empty means all types but the audit log. */
  readonly types: readonly WebhookType[];
}

export interface UpdateWebhookEndpointInput extends Partial<CreateWebhookEndpointInput> {
  readonly state?: EndpointState;
}

/** An endpoint with its secret, which is shown once. */
export interface IssuedWebhookEndpoint {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

/** Manages the receivers of an organization. */
@Injectable()
export class WebhookEndpointsService {
  constructor(
    private readonly database: Database,
    private readonly access: EndpointAccess,
    private readonly endpoints: WebhookEndpointsStore,
    private readonly deliveries: WebhookDeliveriesStore,
    private readonly secrets: EndpointSecrets,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws {OrganizationNotFound} `organization_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {WebhookUrlRefused} `invalid_request`
   * @throws {TooManyWebhookEndpoints} `invalid_request`
   */
  create(call: Call, orgIdOrSlug: string, input: CreateWebhookEndpointInput): Promise<IssuedWebhookEndpoint> {
    const orgId = this.access.orgOf(call, orgIdOrSlug);
    this.access.requireTypes(call, orgId, input.types);
    this.access.requireTarget(input.url);
    return this.database.transaction(async () => {
      await this.access.lockRoom(call, orgId);
      const now = this.clock.now();
      const id = this.ids.next(WEBHOOK_ENDPOINT_ID);
      const { secret, encrypted } = this.secrets.create(id);
      const endpoint: WebhookEndpoint = {
        id,
        orgId,
        ...input,
        state: 'active',
        pauseReason: null,
        secret: encrypted,
        previousSecret: null,
        previousUntil: null,
        failingSince: null,
        createdBy: call.principal.user.id,
        createdAt: now,
        updatedAt: now,
      };
      await this.endpoints.insert(endpoint);
      await this.access.record('webhook_endpoint.created', endpoint, call);
      return { endpoint, secret };
    });
  }

  /** Newest first. @throws {OrganizationNotFound} @throws {InsufficientScopes} */
  list(call: Call, orgIdOrSlug: string, page: PageRequest): Promise<Page<WebhookEndpoint>> {
    return this.endpoints.list(this.access.orgOf(call, orgIdOrSlug), page);
  }

  /** @throws {WebhookEndpointNotFound} `webhook_endpoint_not_found`, and as {@link list}. */
  async get(call: Call, orgIdOrSlug: string, id: string): Promise<WebhookEndpoint> {
    const endpoint = await this.endpoints.find(this.access.orgOf(call, orgIdOrSlug), id);
    if (endpoint === undefined) throw new WebhookEndpointNotFound();
    return endpoint;
  }

  /**
   * {@link get}, for what was sent to the endpoint.
   *
   * @throws {InsufficientScopes} `insufficient_scopes`: `audit:read` is missing for an endpoint of the audit log.
   */
  async getForDeliveries(call: Call, orgIdOrSlug: string, id: string): Promise<WebhookEndpoint> {
    const endpoint = await this.get(call, orgIdOrSlug, id);
    this.access.requireTypes(call, endpoint.orgId, endpoint.types);
    return endpoint;
  }

  /** What waits for an endpoint that is paused is not sent any more. @throws as {@link get} and {@link create}. */
  update(call: Call, orgIdOrSlug: string, id: string, input: UpdateWebhookEndpointInput): Promise<WebhookEndpoint> {
    if (input.url !== undefined) this.access.requireTarget(input.url);
    return this.change(call, orgIdOrSlug, id, async (before) => {
      // It may lead what is sent to another address.
      this.access.requireTypes(call, before.orgId, [...before.types, ...(input.types ?? [])]);
      const { state = before.state } = input;
      const pauseReason = state === 'active' ? null : (before.pauseReason ?? 'asked');
      const after: WebhookEndpoint = { ...before, ...input, state, pauseReason, updatedAt: this.clock.now() };
      await this.endpoints.save(after);
      if (state === 'paused') await this.deliveries.failPending(id);
      await this.access.record('webhook_endpoint.updated', after, call);
      return after;
    });
  }

  /** @throws as {@link get}. */
  async delete(call: Call, orgIdOrSlug: string, id: string): Promise<void> {
    await this.change(call, orgIdOrSlug, id, async (endpoint) => {
      await this.endpoints.delete(id);
      await this.access.record('webhook_endpoint.deleted', endpoint, call);
    });
  }

  /** Gives the endpoint a new secret. Messages are signed with both for `graceSeconds`. @throws as {@link get}. */
  rotateSecret(call: Call, orgIdOrSlug: string, id: string, graceSeconds: number): Promise<IssuedWebhookEndpoint> {
    return this.change(call, orgIdOrSlug, id, async (before) => {
      const now = this.clock.now();
      const { secret, encrypted } = this.secrets.create(id);
      const isGraceful = graceSeconds > 0;
      const endpoint: WebhookEndpoint = {
        ...before,
        secret: encrypted,
        previousSecret: isGraceful ? before.secret : null,
        previousUntil: isGraceful ? new Date(now.getTime() + graceSeconds * 1_000) : null,
        updatedAt: now,
      };
      await this.endpoints.saveSecrets(endpoint);
      await this.access.record('webhook_endpoint.secret_rotated', endpoint, call);
      return { endpoint, secret };
    });
  }

  private change<T>(
    call: Call,
    orgIdOrSlug: string,
    id: string,
    work: (endpoint: WebhookEndpoint) => Promise<T>,
  ): Promise<T> {
    const orgId = this.access.orgOf(call, orgIdOrSlug);
    return this.database.transaction(async () => {
      const endpoint = await this.endpoints.lock(orgId, id);
      if (endpoint === undefined) throw new WebhookEndpointNotFound();
      return work(endpoint);
    });
  }
}
