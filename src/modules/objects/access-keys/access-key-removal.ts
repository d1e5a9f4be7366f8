import { Injectable } from '@nestjs/common';
import { AuthEpochs } from '../../auth/auth-epochs.js';
import { EPOCH_OF_DELETED } from './known-access-key.js';
import { AccessKeysStore } from './persistence/access-keys.store.js';

/** Deletes access keys in the running transaction. They stop working with the next request, in every process. */
@Injectable()
export class AccessKeyRemoval {
  constructor(
    private readonly keys: AccessKeysStore,
    private readonly epochs: AuthEpochs,
  ) {}

  async remove(id: string): Promise<void> {
    await this.keys.delete(id);
    await this.epochs.announce(id, EPOCH_OF_DELETED);
  }

  async removeOfOrg(orgId: string): Promise<void> {
    for (const id of await this.keys.deleteOfOrg(orgId)) await this.epochs.announce(id, EPOCH_OF_DELETED);
  }
}
