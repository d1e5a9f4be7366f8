import { Injectable } from '@nestjs/common';
import { AuthEpochs } from '../../auth/auth-epochs.js';
import { OrganizationsStore } from '../persistence/organizations.store.js';

/** Tells every process that what the members of an organization may do has changed. */
@Injectable()
export class OrgEpochs {
  constructor(
    private readonly organizations: OrganizationsStore,
    private readonly epochs: AuthEpochs,
  ) {}

  /** Raises the epoch with the running transaction, and announces it after the commit. */
  async raise(orgId: string): Promise<void> {
    const epoch = await this.organizations.raiseEpoch(orgId);
    if (epoch !== undefined) await this.epochs.announce(orgId, epoch);
  }
}
