import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { EncryptedTable, Reencryption } from '../../../platform/secrets/reencryption.js';
import { SigningKeySecrets } from '../keys/signing-key-secrets.js';
import { type SigningKeyRow, SigningKeysStore } from '../persistence/signing-keys.store.js';

/** Re-encrypts the private parts of signing keys, which never change otherwise. */
@Injectable()
export class EncryptedSigningKeys extends EncryptedTable<SigningKeyRow> implements OnApplicationBootstrap {
  constructor(
    private readonly keys: SigningKeysStore,
    private readonly secrets: SigningKeySecrets,
    private readonly reencryption: Reencryption,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.reencryption.add(this);
  }

  outdated(mark: Buffer, last: SigningKeyRow | undefined, limit: number): Promise<SigningKeyRow[]> {
    return this.keys.withoutMark(mark, last?.id, limit);
  }

  reencrypt(row: SigningKeyRow): Promise<void> {
    return this.keys.saveEncrypted(row.id, this.secrets.reencrypted(row));
  }

  idsOf({ id }: SigningKeyRow): Readonly<Record<string, string>> {
    return { signingKeyId: id };
  }
}
