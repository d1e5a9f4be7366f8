import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Page, PageRequest } from '../../platform/database/page.js';
import { Ids } from '../../platform/ids/ids.js';
import { Outbox } from '../../platform/outbox/outbox.js';
import { Clock } from '../../platform/time/clock.js';
import { type AuditActor, type AuditedAct, AuditLogService } from '../audit/audit-log.service.js';
import type { Call } from './caller.js';
import { authMailJob } from './auth-mail.job.js';
import { ApiKeySecret } from './persistence/api-key-secret.entity.js';
import { ApiKeyStore, type KeyReach } from './persistence/api-key.store.js';
import { ApiKey } from './persistence/api-key.entity.js';
import type { KeyKind } from './principal.js';
import { PersonDirectory } from './person-directory.js';
import { SecretHasher } from './secret-hasher.js';
import type { TokenKind } from './token-format.js';
import { requireNoWider } from './keys/key-bounds.js';
import { ApiKeyNotFound, KeyOfAnother } from './keys/keys.errors.js';
import { API_KEY_ID, API_KEY_SECRET_ID } from './keys/keys.ids.js';
import { LiveCredential } from './keys/live-credential.js';

const LAST = 4;

const TOKEN_KIND_OF: Readonly<Record<KeyKind, TokenKind>> = { personal: 'pat', select_orgs: 'sel', org_bound: 'org' };

export interface CreateKeyInput {
  readonly kind: KeyKind;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Of an org-bound key one; of a select-orgs key those that it reaches; of a personal key none. Ids or slugs. */
  readonly orgs: readonly string[];
  readonly allowedIps: readonly string[];
  readonly expiresAt: Date | null;
}

export type KeyChange = Partial<Pick<CreateKeyInput, 'name' | 'scopes' | 'allowedIps' | 'expiresAt'>>;

/** A key with what it shows of its secret. */
export interface ShownKey {
  readonly key: ApiKey;
  /** `svc_pat_` */
  readonly prefix: string;
  readonly last4: string;
  readonly status: 'active' | 'expired' | 'revoked';
}

/** A key whose secret is shown, this one time. */
export interface MintedKey extends ShownKey {
  readonly secret: string;
}

/** What a notice tells the owner of a key about it. */
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
    private readonly credentials: LiveCredential,
    private readonly hasher: SecretHasher,
    private readonly people: PersonDirectory,
    private readonly audit: AuditLogService,
    private readonly outbox: Outbox,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Mints a key that may do no more than the credential that asks for it.
   *
   * @throws {KeyOrgMismatch} `key_org_mismatch`, {OrgAccessDenied} `org_access_denied`: for an organization out of
   * reach.
   * @throws {InsufficientScopes} `insufficient_scopes`: no `keys:write` there, or the asking key is narrower.
   */
  async create(call: Call, page: CreateKeyInput): Promise<MintedKey> {
    const { principal } = call;
    const orgs = page.orgs.map((named) => principal.orgOf(named));
    for (const { id } of orgs) principal.require('keys:write', id);
    const home = orgs.find(({ personal }) => personal) ?? orgs[0] ?? principal.orgOf(undefined);
    const now = this.clock.now();
    const key = Object.assign(new ApiKey(), {
      id: this.ids.next(API_KEY_ID),
      userId: principal.user.id,
      homeOrgId: home.id,
      kind: page.kind,
      name: page.name,
      scopes: [...page.scopes],
      orgIds: [...new Set(orgs.map(({ id }) => id))],
      allowedIps: [...page.allowedIps],
      expiresAt: page.expiresAt,
      revokedAt: null,
      lastUsedAt: null,
      lastUsedIp: null,
      createdAt: now,
      updatedAt: now,
    });
    return this.database.transaction(async () => {
      await this.credentials.hold(call);
      await this.requireNoWider(call, key);
      const minted = this.mint(key);
      await this.keys.add(key, minted.row);
      await this.record(call, 'key.created', key, { kind: key.kind, scopes: key.scopes });
      await this.outbox.enqueue(authMailJob, { kind: 'key_created', subjectId: key.id });
      return { ...this.show(key, minted.row.last4), secret: minted.secret };
    });
  }

  /** @throws {ApiKeyNotFound} `api_key_not_found` */
  async get(call: Call, id: string): Promise<ShownKey> {
    const key = await this.keys.find(id, reachOf(call));
    if (key === null) throw new ApiKeyNotFound();
    return this.shown(key);
  }

  /** The key that makes the call. */
  async current(call: Call): Promise<ShownKey> {
    const { credential } = call.principal;
    return this.get(call, credential.type === 'api_key' ? credential.keyId : '');
  }

  /** The key of this id for a notice to its owner; undefined when there is none. */
  async findNoticeFacts(id: string): Promise<KeyNoticeFacts | undefined> {
    const key = await this.keys.findById(id);
    if (key === null) return undefined;
    const last4 = (await this.keys.last4Of([id])).get(id) ?? '';
    return { userId: key.userId, name: key.name, last4, createdAt: key.createdAt };
  }

  countActive(userId: string): Promise<number> {
    return this.keys.countActive(userId, this.clock.now());
  }

  /** Newest first. */
  async list(call: Call, page: PageRequest): Promise<Page<ShownKey>> {
    const { items, next } = await this.keys.list(reachOf(call), page);
    const last4 = await this.keys.last4Of(items.map(({ id }) => id));
    return { items: items.map((key) => this.show(key, last4.get(key.id)!)), next };
  }

  /**
   * What it may do changes with its next call. Only its owner changes a key, because it acts with its owner's role.
   *
   * @throws {ApiKeyNotFound} `api_key_not_found`
   * @throws {KeyOfAnother} `insufficient_scopes`
   * @throws {KeyTooWide} `insufficient_scopes`
   */
  change(call: Call, id: string, change: KeyChange): Promise<ShownKey> {
    return this.database.transaction(async () => {
      const key = await this.getOwnForChange(call, id);
      await this.requireNoWider(call, key);
      Object.assign(key, change, { updatedAt: this.clock.now() });
      await this.requireNoWider(call, key);
      await this.save(call, key, 'key.changed', { changed: Object.keys(change) });
      return this.shown(key);
    });
  }

  /**
   * It stops with its next call, for good. Revoking it again changes nothing. A key revokes none that can do more than
   * itself, because whoever has stolen a narrow key must not be able to stop what runs with a wide one.
   *
   * @throws {ApiKeyNotFound} `api_key_not_found`
   * @throws {KeyTooWide} `insufficient_scopes`
   */
  revoke(call: Call, id: string): Promise<void> {
    return this.database.transaction(async () => {
      const key = await this.getForChange(call, id);
      await this.requireNoWider(call, key);
      if (key.revokedAt !== null) return;
      key.revokedAt = key.updatedAt = this.clock.now();
      await this.save(call, key, 'key.revoked', {});
    });
  }

  /**
   * Revokes every key of a person, with the running transaction, and says how many there were. The caller raises the
   * person's epoch afterwards: rows of keys and sessions are locked before that of the person, as everywhere.
   */
  async revokeAllOf(userId: string, by: Call | AuditActor, reason: string): Promise<number> {
    const keys = await this.keys.revokeAllOf(userId, this.clock.now());
    for (const key of keys) await this.record(by, 'key.revoked', key, { reason });
    return keys.length;
  }

  /**
   * Gives the key a new secret; the old one works on for `graceSeconds`, and never past the key's own end. Only its
   * owner rotates a key: who has its secret acts with the owner's role.
   *
   * @throws {ApiKeyNotFound} `api_key_not_found`, also for a key that was revoked.
   * @throws {KeyOfAnother} `insufficient_scopes`
   * @throws {KeyTooWide} `insufficient_scopes`
   */
  rotate(call: Call, id: string, graceSeconds: number): Promise<MintedKey> {
    return this.database.transaction(async () => {
      const key = await this.getOwnForChange(call, id);
      if (key.revokedAt !== null) throw new ApiKeyNotFound();
      await this.requireNoWider(call, key);
      const minted = this.mint(key);
      await this.keys.replaceSecret(minted.row, new Date(minted.row.createdAt.getTime() + graceSeconds * 1000));
      key.updatedAt = minted.row.createdAt;
      await this.save(call, key, 'key.rotated', { grace_seconds: graceSeconds });
      return { ...this.show(key, minted.row.last4), secret: minted.secret };
    });
  }

  private mint(key: ApiKey): { secret: string; row: ApiKeySecret } {
    const secret = this.hasher.mint(TOKEN_KIND_OF[key.kind]);
    const row = Object.assign(new ApiKeySecret(), {
      id: this.ids.next(API_KEY_SECRET_ID),
      keyId: key.id,
      ...this.hasher.hash(secret),
      last4: secret.slice(-LAST),
      createdAt: this.clock.now(),
      rotatedAt: null,
      worksUntil: null,
    });
    return { secret, row };
  }

  private async shown(key: ApiKey): Promise<ShownKey> {
    return this.show(key, (await this.keys.last4Of([key.id])).get(key.id)!);
  }

  private show(key: ApiKey, last4: string): ShownKey {
    const isExpired = key.expiresAt !== null && key.expiresAt <= this.clock.now();
    const status = key.revokedAt !== null ? 'revoked' : isExpired ? 'expired' : 'active';
    return { key, prefix: `svc_${TOKEN_KIND_OF[key.kind]}_`, last4, status };
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

  private async requireNoWider({ principal }: Call, key: ApiKey): Promise<void> {
    const { credential } = principal;
    const own =
      credential.type === 'api_key'
        ? await this.keys.find(credential.keyId, {
            userId: principal.user.id,
            administeredOrgIds: [],
            withinOrgIds: undefined,
          })
        : null;
    requireNoWider(principal, key, own?.expiresAt ?? null);
  }

  private async save(
    call: Call,
    key: ApiKey,
    action: AuditedAct['action'],
    details: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    await this.keys.save(key);
    await this.people.raiseEpoch(key.userId);
    await this.record(call, action, key, details);
  }

  private record(
    by: Call | AuditActor,
    action: AuditedAct['action'],
    key: ApiKey,
    details: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return this.audit.record({ orgId: key.homeOrgId, action, target: { type: 'api_key', id: key.id }, details }, by);
  }
}

/**
 * A person sees its own keys and those bound to what it administers; a narrower key only those that reach no further.
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
