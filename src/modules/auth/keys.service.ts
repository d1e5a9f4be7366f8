import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Page, PageRequest } from '../../platform/database/page.js';
import { Outbox } from '../../platform/outbox/outbox.js';
import { Clock } from '../../platform/time/clock.js';
import type { AuditActor } from '../audit/audit-log.service.js';
import type { Call } from './caller.js';
import { SsoRequired } from './access.errors.js';
import { authMailJob } from './auth-mail.job.js';
import { ApiKeyStore, type KeyReach } from './persistence/api-key.store.js';
import type { ApiKey } from './persistence/api-key.entity.js';
import type { KeyKind } from './principal.js';
import { type LifetimeLimit, outlives } from './domain/key-lifetime.js';
import { KeyBounds } from './keys/key-bounds.js';
import { KeyHistory } from './keys/key-history.js';
import { type IssuedSecret, KeyIssuer, prefixOf } from './keys/key-issuer.js';
import { ApiKeyNotFound, KeyOfAnother } from './keys.errors.js';

export interface CreateKeyInput {
  readonly kind: KeyKind;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Ids or slugs: one for an org-bound key, one or more for a select-orgs key, none for a personal key. */
  readonly orgs: readonly string[];
  readonly allowedIps: readonly string[];
  readonly expiresAt: Date | null;
  /** For a key that the service makes for the deploys of a project. */
  readonly projectId?: string;
}

/** What a person consented to for an OAuth client. */
export interface GrantKeyInput {
  /** The name of the client. */
  readonly name: string;
  readonly scopes: readonly string[];
  readonly orgIds: readonly string[];
}

export type KeyChange = Partial<Pick<CreateKeyInput, 'name' | 'scopes' | 'allowedIps' | 'expiresAt'>>;

/** A key with the visible parts of its secret. */
export interface ShownKey {
  readonly key: ApiKey;
  /** The visible beginning, such as `svc_pat_`. Empty, as `last4` is, for the key of a grant, which has no secret. */
  readonly prefix: string;
  readonly last4: string;
  readonly status: 'active' | 'expired' | 'revoked';
  /** True when it was made before its organization limited the lifetime of keys, and lives longer. */
  readonly outlivesPolicy: boolean;
}

/** A key with its secret, which is returned only once. */
export interface CreatedKey extends ShownKey {
  readonly secret: string;
}

/** What the notice to the owner of a new key contains. */
export interface KeyNoticeFacts {
  readonly userId: string;
  readonly name: string;
  readonly last4: string;
  readonly createdAt: Date;
}

/** The API keys of people (service document §2, §5). */
@Injectable()
export class KeysService {
  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeyStore,
    private readonly bounds: KeyBounds,
    private readonly issuer: KeyIssuer,
    private readonly history: KeyHistory,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a key. Its permissions cannot be wider than those of the credential of the call.
   *
   * @throws {KeyOrgMismatch} `key_org_mismatch`, {OrgAccessDenied} `org_access_denied`: the caller has no
   * access to an organization.
   * @throws {InsufficientScopes} `insufficient_scopes`: `keys:write` is missing there, or the key would be wider.
   * @throws {KeyLifetimeExceeded} `key_lifetime_exceeded`: an organization allows keys only a shorter lifetime.
   */
  async create(call: Call, input: CreateKeyInput): Promise<CreatedKey> {
    const { principal } = call;
    const orgs = input.orgs.map((idOrSlug) => principal.orgOf(idOrSlug));
    for (const { id } of orgs) principal.require('keys:write', id);
    const home = orgs.find(({ personal }) => personal) ?? orgs[0] ?? principal.orgOf(undefined);
    const key = this.issuer.createKey({
      userId: principal.user.id,
      homeOrgId: home.id,
      projectId: input.projectId ?? null,
      kind: input.kind,
      name: input.name,
      scopes: [...input.scopes],
      orgIds: [...new Set(orgs.map(({ id }) => id))],
      allowedIps: [...input.allowedIps],
      ssoOrgIds: [...principal.ssoOrgIds],
      expiresAt: input.expiresAt,
    });
    return this.database.transaction(async () => {
      await this.bounds.requireCreatable(call, key);
      const issued = this.issuer.issueSecret(key);
      await this.keys.add(key, issued.row);
      await this.history.record(call, 'key.created', key, { kind: key.kind, scopes: key.scopes });
      await this.outbox.enqueue(authMailJob, { kind: 'key_created', subjectId: key.id });
      return this.showOnce(key, issued);
    });
  }

  /**
   * Creates the key of a consent, in the running transaction. It has no secret: access tokens name it.
   *
   * @throws {OrgAccessDenied} `org_access_denied`, {InsufficientScopes} `insufficient_scopes`: as {@link create}.
   */
  async createForGrant(call: Call, { name, scopes, orgIds }: GrantKeyInput): Promise<ShownKey> {
    const { principal } = call;
    const orgs = orgIds.map((id) => principal.orgOf(id));
    for (const { id } of orgs) principal.require('keys:write', id);
    const home = orgs.find(({ personal }) => personal) ?? orgs[0]!;
    const key = this.issuer.createKey({
      userId: principal.user.id,
      homeOrgId: home.id,
      projectId: null,
      kind: 'select_orgs',
      source: 'oauth',
      name,
      scopes: [...scopes],
      orgIds: orgs.map(({ id }) => id),
      allowedIps: [],
      ssoOrgIds: [...principal.ssoOrgIds],
      expiresAt: null,
    });
    await this.bounds.requireCreatable(call, key);
    await this.keys.addGranted(key);
    await this.history.record(call, 'key.created', key, { kind: key.kind, scopes: key.scopes, source: key.source });
    await this.outbox.enqueue(authMailJob, { kind: 'grant_made', subjectId: key.id });
    return this.show(key, undefined);
  }

  /** Returns the scopes of the key of a grant, or undefined when it is revoked or unknown. */
  async scopesOfGrantKey(id: string): Promise<readonly string[] | undefined> {
    const key = await this.keys.findById(id);
    return key === null || key.revokedAt !== null || key.source !== 'oauth' ? undefined : key.scopes;
  }

  /** Revokes the key of a grant that has ended, in the running transaction. Revoking it again changes nothing. */
  async revokeOfGrant(id: string, by: Call | AuditActor, reason: string): Promise<void> {
    const key = await this.keys.findById(id);
    if (key === null || key.revokedAt !== null) return;
    key.revoke(this.clock.now());
    await this.keys.save(key);
    await this.history.recordChange(by, 'key.revoked', key, { reason });
  }

  /** Returns those of the keys that the caller can see, by id. */
  async among(call: Call, ids: readonly string[]): Promise<ReadonlyMap<string, ShownKey>> {
    const keys = await this.keys.findAmong(ids, reachOf(call));
    const [last4, limits] = await this.factsOf(call, keys);
    return new Map(keys.map((key) => [key.id, this.show(key, last4.get(key.id), limits)]));
  }

  /** @throws {ApiKeyNotFound} `api_key_not_found` */
  async get(call: Call, id: string): Promise<ShownKey> {
    const key = await this.keys.find(id, reachOf(call));
    if (key === null) throw new ApiKeyNotFound();
    return this.getShown(call, key);
  }

  /** Returns the key that makes the call. */
  async current(call: Call): Promise<ShownKey> {
    const { credential } = call.principal;
    return this.get(call, credential.type === 'api_key' ? credential.keyId : '');
  }

  /** Returns what the notice to the owner contains, or undefined for an unknown key. */
  async findNoticeFacts(id: string): Promise<KeyNoticeFacts | undefined> {
    const key = await this.keys.findById(id);
    if (key === null) return undefined;
    const last4 = (await this.keys.last4Of([id])).get(id) ?? '';
    return { userId: key.userId, name: key.name, last4, createdAt: key.createdAt };
  }

  /** Returns the key that the service made for a project, unless it is revoked. */
  async ofProject(projectId: string): Promise<ShownKey | undefined> {
    const key = await this.keys.findOfProject(projectId);
    return key === null ? undefined : this.show(key, (await this.keys.last4Of([key.id])).get(key.id));
  }

  countActive(userId: string): Promise<number> {
    return this.keys.countActive(userId, this.clock.now());
  }

  /** Lists keys, newest first. */
  async list(call: Call, page: PageRequest): Promise<Page<ShownKey>> {
    const { items, next } = await this.keys.list(reachOf(call), page);
    const [last4, limits] = await this.factsOf(call, items);
    return { items: items.map((key) => this.show(key, last4.get(key.id), limits)), next };
  }

  /**
   * Changes a key from its next call on. Only the owner can change a key, because the key acts with the owner's role.
   *
   * @throws {ApiKeyNotFound} `api_key_not_found`
   * @throws {KeyOfAnother} `insufficient_scopes`
   * @throws {KeyTooWide} `insufficient_scopes`
   * @throws {KeyLifetimeExceeded} `key_lifetime_exceeded`: it would live longer than it does now, and than an
   * organization allows.
   */
  change(call: Call, id: string, change: KeyChange): Promise<ShownKey> {
    return this.database.transaction(async () => {
      const key = await this.getOwnForChange(call, id);
      await this.bounds.requireNoWider(call, key);
      const endsBefore = key.expiresAt;
      key.change(change, this.clock.now());
      await this.bounds.requireNoWider(call, key);
      // A shorter lifetime is always allowed, also one that is still too long.
      if (endsBefore !== null && (key.expiresAt === null || key.expiresAt > endsBefore))
        await this.bounds.requireLifetime(key);
      await this.save(call, key, 'key.changed', { changed: Object.keys(change) });
      return this.getShown(call, key);
    });
  }

  /**
   * Lets a key reach an organization that requires SSO, because its owner has come through the connection.
   *
   * @throws {ApiKeyNotFound} `api_key_not_found`, also for a revoked key.
   * @throws {KeyOfAnother} `insufficient_scopes`
   * @throws {OrgAccessDenied} `org_access_denied`
   * @throws {SsoRequired} `sso_required`: the session did not come through the connection of the organization.
   */
  authorizeForSso(call: Call, id: string, orgIdOrSlug: string): Promise<ShownKey> {
    const { principal } = call;
    const org = principal.orgOf(orgIdOrSlug);
    if (!principal.ssoOrgIds.includes(org.id)) throw new SsoRequired(org.slug, 'session');
    return this.database.transaction(async () => {
      const key = await this.getOwnForChange(call, id);
      if (key.revokedAt !== null) throw new ApiKeyNotFound();
      if (key.authorizeForSso(org.id, this.clock.now()))
        await this.save(call, key, 'key.sso_authorized', { organization: org.id });
      return this.getShown(call, key);
    });
  }

  /**
   * Revokes a key from its next call on. Revoking it again changes nothing. A key cannot revoke a wider key, so that a
   * thief of a narrow key cannot stop what runs with a wide one.
   *
   * @throws {ApiKeyNotFound} `api_key_not_found`
   * @throws {KeyTooWide} `insufficient_scopes`
   */
  revoke(call: Call, id: string): Promise<void> {
    return this.database.transaction(async () => {
      const key = await this.getForChange(call, id);
      await this.bounds.requireNoWider(call, key);
      if (key.revokedAt !== null) return;
      key.revoke(this.clock.now());
      await this.save(call, key, 'key.revoked', {});
    });
  }

  /**
   * Revokes every key of a user in the running transaction, and returns their number. The caller raises the epoch of
   * the user afterwards, because rows of keys and sessions are always locked before the row of the user.
   */
  async revokeAllOf(userId: string, by: Call | AuditActor, reason: string): Promise<number> {
    const keys = await this.keys.revokeAllOf(userId, this.clock.now());
    for (const key of keys) await this.history.record(by, 'key.revoked', key, { reason });
    return keys.length;
  }

  /** Revokes the key that the service made for a project, in the running transaction. There may be none. */
  async revokeOfProject(projectId: string, by: Call | AuditActor, reason: string): Promise<void> {
    const key = await this.keys.findOfProject(projectId);
    if (key === null) return;
    key.revoke(this.clock.now());
    await this.keys.save(key);
    await this.history.recordChange(by, 'key.revoked', key, { reason });
  }

  /**
   * Gives the key a new secret. The old one works for another `graceSeconds`, but not longer than the key. Only the
   * owner can rotate a key, because the holder of the secret acts with the owner's role.
   *
   * @throws {ApiKeyNotFound} `api_key_not_found`, also for a revoked key, and for that of a grant, which has no secret.
   * @throws {KeyOfAnother} `insufficient_scopes`
   * @throws {KeyTooWide} `insufficient_scopes`
   */
  rotate(call: Call, id: string, graceSeconds: number): Promise<CreatedKey> {
    return this.database.transaction(async () => {
      const key = await this.getOwnForChange(call, id);
      if (key.revokedAt !== null || key.source === 'oauth') throw new ApiKeyNotFound();
      await this.bounds.requireNoWider(call, key);
      const issued = this.issuer.issueSecret(key);
      await this.keys.replaceSecret(issued.row, new Date(issued.row.createdAt.getTime() + graceSeconds * 1000));
      key.updatedAt = issued.row.createdAt;
      await this.save(call, key, 'key.rotated', { grace_seconds: graceSeconds });
      return this.showOnce(key, issued);
    });
  }

  private async getShown(call: Call, key: ApiKey): Promise<ShownKey> {
    const [last4, limits] = await this.factsOf(call, [key]);
    return this.show(key, last4.get(key.id), limits);
  }

  /** Reads what is shown of keys that the caller can see: a limit of their organizations holds for the caller too. */
  private async factsOf(
    { principal }: Call,
    keys: readonly ApiKey[],
  ): Promise<[ReadonlyMap<string, string>, LifetimeLimit[]]> {
    return [await this.keys.last4Of(keys.map(({ id }) => id)), await this.bounds.limitsFor(principal.user.id)];
  }

  private showOnce(key: ApiKey, { secret, row }: IssuedSecret): CreatedKey {
    return { ...this.show(key, row.last4), secret };
  }

  private show(key: ApiKey, last4: string | undefined, limits: readonly LifetimeLimit[] = []): ShownKey {
    const isExpired = key.expiresAt !== null && key.expiresAt <= this.clock.now();
    const status = key.revokedAt !== null ? 'revoked' : isExpired ? 'expired' : 'active';
    return {
      key,
      prefix: last4 === undefined ? '' : prefixOf(key.kind),
      last4: last4 ?? '',
      status,
      outlivesPolicy: status === 'active' && outlives(key, limits),
    };
  }

  private async getForChange(call: Call, id: string): Promise<ApiKey> {
    const key = await this.keys.findForChange(id, reachOf(call));
    if (key === null) throw new ApiKeyNotFound();
    if (key.userId !== call.principal.user.id) call.principal.require('keys:write', key.homeOrgId);
    return key;
  }

  private async getOwnForChange(call: Call, id: string): Promise<ApiKey> {
    const key = await this.getForChange(call, id);
    if (key.userId !== call.principal.user.id) throw new KeyOfAnother();
    return key;
  }

  private async save(
    call: Call,
    key: ApiKey,
    action: `key.${string}`,
    details: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    await this.keys.save(key);
    await this.history.recordChange(call, action, key, details);
  }
}

/**
 * Users see their own keys and the org-bound keys of organizations that they administer. A key that is not personal
 * sees only keys with the same or fewer organizations.
 */
function reachOf({ principal }: Call): KeyReach {
  const { credential } = principal;
  return {
    userId: principal.user.id,
    administeredOrgIds: principal.memberships
      .filter(({ role }) => role === 'owner' || role === 'admin')
      .map(({ id }) => id),
    withinOrgIds: credential.type === 'api_key' && credential.kind !== 'personal' ? principal.orgIds : undefined,
  };
}
