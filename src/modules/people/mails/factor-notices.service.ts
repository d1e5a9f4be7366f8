import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { FactorRecoveryService } from '../../factors/factor-recovery.service.js';
import { FactorsService } from '../../factors/factors.service.js';
import {
  factorRecoveryMail,
  factorsChangedMail,
  factorsRecoveredMail,
  passkeyRefusedMail,
} from './factor-notice.templates.js';
import { SecurityNoticesService } from './security-notices.service.js';

/** Notifies people of what happens to their second factors. */
@Injectable()
export class FactorNoticesService {
  constructor(
    private readonly config: Config,
    private readonly notices: SecurityNoticesService,
    private readonly factors: FactorsService,
    private readonly recoveries: FactorRecoveryService,
  ) {}

  /** Tells what there is now, so that a message that is sent twice or late is still right. */
  async sendChanged(userId: string): Promise<void> {
    const overview = await this.factors.overview(userId);
    await this.notices.send(userId, userId, ({ username }) => factorsChangedMail(username, overview, this.page));
  }

  async sendRefused(userId: string): Promise<void> {
    await this.notices.send(userId, userId, ({ username }) => passkeyRefusedMail(username, this.page));
  }

  /** Sends nothing when the recovery was stopped meanwhile. */
  async sendRecovery(userId: string): Promise<void> {
    const recovery = await this.recoveries.find(userId);
    if (recovery === undefined) return;
    await this.notices.send(userId, userId, ({ username }) => factorRecoveryMail(username, recovery));
  }

  async sendRecovered(userId: string): Promise<void> {
    await this.notices.send(userId, userId, ({ username }) => factorsRecoveredMail(username));
  }

  private get page(): string {
    return `${this.config.dashboardUrl}/account/security`;
  }
}
