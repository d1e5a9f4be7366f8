import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { EncryptedTable, Reencryption } from '../../../platform/secrets/reencryption.js';
import type { AccessKey } from './access-key-rows.js';
import { AccessKeyVault } from './access-key-vault.js';
import { AccessKeysStore } from './persistence/access-keys.store.js';

/** Re-encrypts one secret of an access key at a time. */
@Injectable()
export class EncryptedAccessKeys extends EncryptedTable<AccessKey> implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly keys: AccessKeysStore,
    private readonly vault: AccessKeyVault,
    private readonly reencryption: Reencryption,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.reencryption.add(this);
  }

  outdated(mark: Buffer, last: AccessKey | undefined, limit: number): Promise<AccessKey[]> {
    return this.keys.withoutMark(mark, last, limit);
  }

  reencrypt({ id }: AccessKey): Promise<void> {
    return this.database.transaction(async () => {
      // It may have been deleted meanwhile.
      const key = await this.keys.lock(id);
      if (key !== undefined) await this.keys.replaceSecret(id, this.vault.seal(this.vault.open(key.secret, id), id));
    });
  }

  idsOf({ id }: AccessKey): Readonly<Record<string, string>> {
    return { accessKeyId: id };
  }
}
