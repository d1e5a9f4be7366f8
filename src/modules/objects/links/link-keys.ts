import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import type { AccessKey } from '../access-keys/access-key-rows.js';
import { AccessKeyVault } from '../access-keys/access-key-vault.js';
import { type KeyPair, newKeyPair } from '../access-keys/new-key-pair.js';
import { AccessKeysStore, type LinkMaker } from '../access-keys/persistence/access-keys.store.js';

/**
 * The access keys that links are signed with: one for each person, or for each API key of a person. Links so end with
 * the permissions of who made them. Their secrets never leave the service.
 */
@Injectable()
export class LinkKeys {
  constructor(
    private readonly keys: AccessKeysStore,
    private readonly vault: AccessKeyVault,
    private readonly clock: Clock,
  ) {}

  /** Returns the key pair of the caller in an organization, and makes it at the first link. */
  async of({ principal: { user, credential } }: Call, orgId: string): Promise<KeyPair> {
    const createdKeyId = credential.type === 'api_key' ? credential.keyId : null;
    const maker: LinkMaker = { orgId, createdBy: user.id, createdKeyId };
    const found = (await this.keys.findForLinks(maker)) ?? (await this.make(maker));
    return { id: found.id, secret: this.vault.open(found.secret, found.id) };
  }

  private async make(maker: LinkMaker): Promise<AccessKey> {
    const { id, secret } = newKeyPair();
    await this.keys.insertForLinks({
      ...maker,
      id,
      name: 'Links',
      access: 'write',
      bucketIds: null,
      secret: this.vault.seal(secret, id),
      projectId: null,
      expiresAt: null,
      lastUsedAt: null,
      createdAt: this.clock.now(),
    });
    // Another call may have made one at the same time.
    const made = await this.keys.findForLinks(maker);
    if (made === undefined) throw new Error('The access key for links is missing.');
    return made;
  }
}
