import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { ProviderKeyNotFound, ProviderNotFound } from '../ai.errors.js';
import type { RouterType } from '../catalog/models-file.js';
import { type ProviderKey, ProviderKeysStore } from '../persistence/provider-keys.store.js';
import { ModelRouters } from '../routers/model-routers.js';
import { ProviderKeyVault } from './provider-key-vault.js';

/** What is shown of a key. */
export type ShownProviderKey = Pick<ProviderKey, 'router' | 'last4' | 'setAt'>;

/** A router, with whose keys it can be called. */
export interface Provider {
  readonly id: string;
  readonly type: RouterType;
  readonly takesOwnKeys: boolean;
  /** True when the operator has set a key. */
  readonly hasServiceKey: boolean;
  readonly key: ShownProviderKey | undefined;
}

const SHOWN_CHARACTERS = 4;

/** The keys with which organizations call routers at their own expense. */
@Injectable()
export class ProviderKeysService {
  constructor(
    private readonly database: Database,
    private readonly routers: ModelRouters,
    private readonly keys: ProviderKeysStore,
    private readonly vault: ProviderKeyVault,
    private readonly orgs: OrgDirectory,
    private readonly clock: Clock,
  ) {}

  /** Returns all routers in the order in which they serve models. */
  async list({ org }: Call): Promise<Provider[]> {
    const keys = new Map((await this.keys.list(org.id)).map((key) => [key.router, key]));
    return this.routers.declared.map(({ id, type, apiKey }) => ({
      id,
      type,
      takesOwnKeys: this.routers.takesOwnKeys(id),
      hasServiceKey: apiKey !== undefined,
      key: keys.get(id),
    }));
  }

  /**
   * @throws {ProviderNotFound} `provider_not_found`
   * @throws {ProviderKeyNotFound} `provider_key_not_found`
   */
  async get({ org }: Call, id: string): Promise<ShownProviderKey> {
    this.requireProvider(id);
    const key = await this.keys.find(org.id, id);
    if (key === undefined) throw new ProviderKeyNotFound(id);
    return key;
  }

  /** Sets or replaces the key. The next call uses it. @throws {ProviderNotFound} `provider_not_found` */
  async set(call: Call, id: string, apiKey: string): Promise<ShownProviderKey> {
    this.requireProvider(id);
    const place = { orgId: call.org.id, router: id };
    const key: ProviderKey = {
      ...place,
      sealed: this.vault.seal(apiKey, place),
      last4: apiKey.slice(-SHOWN_CHARACTERS),
      setBy: call.principal.user.id,
      setAt: this.clock.now(),
    };
    await this.change(call, 'provider_key.set', key, () => this.keys.set(key));
    return key;
  }

  /** Deletes the key. The next call is paid with credits. @throws as {@link get}. */
  async delete(call: Call, id: string): Promise<void> {
    this.requireProvider(id);
    await this.database.transaction(async () => {
      const key = await this.keys.lock(call.org.id, id);
      if (key === undefined) throw new ProviderKeyNotFound(id);
      await this.change(call, 'provider_key.deleted', key, () => this.keys.delete(key.orgId, id));
    });
  }

  /** Returns the key with which a router was called for an organization, or undefined if it has none. */
  async find(orgId: string, router: string): Promise<string | undefined> {
    const key = await this.keys.find(orgId, router);
    return key && this.vault.open(key.sealed, key);
  }

  private requireProvider(id: string): void {
    if (!this.routers.takesOwnKeys(id)) throw new ProviderNotFound(id);
  }

  private change(
    call: Call,
    action: 'provider_key.set' | 'provider_key.deleted',
    { orgId, router, last4 }: ProviderKey,
    write: () => Promise<void>,
  ): Promise<void> {
    return this.database.transaction(async () => {
      await this.orgs.lockAndGetPlan(call, orgId);
      await write();
      const details = { provider: router, last4 };
      await this.orgs.record({ orgId, action, target: { type: 'organization', id: orgId }, details }, call);
    });
  }
}
