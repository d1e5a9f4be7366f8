import { Injectable } from '@nestjs/common';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { UsersStore } from '../persistence/users.store.js';
import { SecurityNoticesService } from './security-notices.service.js';
import { exemptEntryMail } from './sso-notice.templates.js';

/** Notifies the owners of organizations that require SSO. */
@Injectable()
export class SsoNoticesService {
  constructor(
    private readonly orgs: OrgDirectory,
    private readonly users: UsersStore,
    private readonly notices: SecurityNoticesService,
  ) {}

  /** Sends nothing when the organization was deleted meanwhile. */
  async sendExemptEntry(orgId: string, userId: string): Promise<void> {
    const organization = await this.orgs.nameOf(orgId);
    const person = (await this.users.find(userId))?.username;
    if (organization === undefined || person === undefined) return;
    for (const ownerId of await this.orgs.ownerIdsOf(orgId))
      await this.notices.send(ownerId, orgId, ({ username }) => exemptEntryMail(username, { organization, person }));
  }
}
