import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Origin } from '../../auth/sessions.service.js';
import { BrowserSignInsService } from '../../identities/browser-sign-ins.service.js';
import type { ShownCode } from '../../identities/external-sign-ins.service.js';
import { BrowserSignInInvalid } from '../../identities/identities.errors.js';
import { AccountSessions, type SignedIn } from './account-sessions.js';
import { AuthMetrics } from './auth.metrics.js';

/** Signs programs in that a person has let in from the dashboard. */
@Injectable()
export class BrowserSignInCompletion {
  constructor(
    private readonly database: Database,
    private readonly signIns: BrowserSignInsService,
    private readonly sessions: AccountSessions,
    private readonly metrics: AuthMetrics,
  ) {}

  /**
   * Opens a session for the program. No factor is asked for: the session that approved it has shown what it has.
   *
   * @throws {BrowserSignInInvalid} `invalid_flow`
   */
  async complete(shown: ShownCode, origin: Origin): Promise<SignedIn> {
    try {
      const signedIn = await this.database.transaction(() => this.open(shown, origin));
      await this.database.afterCommit(() => {
        this.metrics.signIn('succeeded', 'browser');
        return Promise.resolve();
      });
      return signedIn;
    } catch (error) {
      this.metrics.signIn('refused', 'browser');
      throw error;
    }
  }

  private async open(shown: ShownCode, origin: Origin): Promise<SignedIn> {
    const approvedIn = await this.signIns.approvingSessionOf(shown);
    const signedIn = await this.sessions.openFrom(approvedIn, origin);
    if (signedIn === undefined) throw new BrowserSignInInvalid();
    await this.signIns.redeem(shown.id);
    return signedIn;
  }
}
