import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { IdentitiesService } from '../../identities/identities.service.js';
import { identitiesChangedMail } from './identity-notice.templates.js';
import { SecurityNoticesService } from './security-notices.service.js';

/** Notifies people that an account at a provider was connected or disconnected. */
@Injectable()
export class IdentityNoticesService {
  constructor(
    private readonly config: Config,
    private readonly notices: SecurityNoticesService,
    private readonly identities: IdentitiesService,
  ) {}

  /** Says what there is now, so that a message that is sent twice or late is still right. */
  async sendChanged(userId: string): Promise<void> {
    const identities = await this.identities.list(userId);
    const page = `${this.config.dashboardUrl}/account/security`;
    await this.notices.send(userId, userId, ({ username }) => identitiesChangedMail(username, identities, page));
  }
}
