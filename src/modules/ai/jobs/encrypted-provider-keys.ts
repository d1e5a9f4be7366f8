import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { EncryptedTable, Reencryption } from '../../../platform/secrets/reencryption.js';
import { type ProviderKey, ProviderKeysStore } from '../persistence/provider-keys.store.js';
import { ProviderKeyVault } from '../provider-keys/provider-key-vault.js';

/** Re-encrypts one provider key at a time. */
@Injectable()
export class EncryptedProviderKeys extends EncryptedTable<ProviderKey> implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly keys: ProviderKeysStore,
    private readonly vault: ProviderKeyVault,
    private readonly reencryption: Reencryption,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.reencryption.add(this);
  }

  outdated(mark: Buffer, last: ProviderKey | undefined, limit: number): Promise<ProviderKey[]> {
    return this.keys.withoutMark(mark, last, limit);
  }

  reencrypt({ orgId, router }: ProviderKey): Promise<void> {
    return this.database.transaction(async () => {
      // It may have been replaced or deleted meanwhile.
      const key = await this.keys.lock(orgId, router);
      if (key !== undefined) await this.keys.set({ ...key, sealed: this.renewed(key) });
    });
  }

  idsOf({ orgId, router }: ProviderKey): Readonly<Record<string, string>> {
    return { orgId, router };
  }

  private renewed(key: ProviderKey): Buffer {
    return this.vault.seal(this.vault.open(key.sealed, key), key);
  }
}
