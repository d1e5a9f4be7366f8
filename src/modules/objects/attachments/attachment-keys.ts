import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { AccessKeyRemoval } from '../access-keys/access-key-removal.js';
import type { KeyAccess } from '../access-keys/access-key-rows.js';
import { AccessKeyVault } from '../access-keys/access-key-vault.js';
import { newKeyPair } from '../access-keys/new-key-pair.js';
import { AccessKeysStore } from '../access-keys/persistence/access-keys.store.js';
import type { Bucket } from '../persistence/bucket-rows.js';

interface KeyOwner {
  readonly bucket: Pick<Bucket, 'id' | 'orgId' | 'name'>;
  readonly projectId: string;
  readonly access: KeyAccess;
}

/** The key pairs of attachments. Each opens one bucket. */
@Injectable()
export class AttachmentKeys {
  constructor(
    private readonly keys: AccessKeysStore,
    private readonly removal: AccessKeyRemoval,
    private readonly vault: AccessKeyVault,
    private readonly clock: Clock,
  ) {}

  get now(): Date {
    return this.clock.now();
  }

  /** Makes a key pair in the running transaction, and returns its id. */
  async make({ principal }: Call, { bucket, projectId, access }: KeyOwner): Promise<string> {
    const { id, secret } = newKeyPair();
    await this.keys.insert({
      id,
      orgId: bucket.orgId,
      name: `Attachment of ${bucket.name}`,
      access,
      bucketIds: [bucket.id],
      secret: this.vault.seal(secret, id),
      projectId,
      createdBy: principal.user.id,
      createdKeyId: null,
      expiresAt: null,
      lastUsedAt: null,
      createdAt: this.clock.now(),
    });
    return id;
  }

  /** Ends a key pair in the running transaction. No attachment may have it any more. */
  end(id: string): Promise<void> {
    return this.removal.remove(id);
  }

  async secretOf(id: string): Promise<string> {
    const key = await this.keys.find(id);
    if (key === undefined) throw new Error(`The access key ${id} of an attachment is missing.`);
    return this.vault.open(key.secret, id);
  }
}
