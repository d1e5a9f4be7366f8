import { Injectable } from '@nestjs/common';
import { AuthEpochs } from '../../auth/auth-epochs.js';
import { OrganizationsStore } from '../persistence/organizations.store.js';

/** Announces to every process that the permissions of the members of an organization have changed. */
@Injectable()
export class OrgEpochs {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly epochs: AuthEpochs,
  ) {}

  /** Raises the epoch in the running transaction, and announces it after the commit. */
  async raise(orgId: string): Promise<void> {
    const epoch = await this.organizations.raiseEpoch(orgId);
    if (epoch !== undefined) await this.epochs.announce(orgId, epoch);
  }
}
