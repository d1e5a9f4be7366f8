import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { SecondFactorRequired } from '../../auth/auth.errors.js';
import type { Origin } from '../../auth/sessions.service.js';
import { ExternalSignInsService, type ShownCode } from '../../identities/external-sign-ins.service.js';
import { ExternalSignInInvalid } from '../../identities/identities.errors.js';
import { IdentitiesService } from '../../identities/identities.service.js';
import type { User } from '../persistence/user.entity.js';
import { UsersStore } from '../persistence/users.store.js';
import { AccountSessions, type SignedIn } from './account-sessions.js';
import { type SecondStep, SecondSteps } from './second-steps.js';

/** Opens sessions of people who have an account, and whose identity a provider has confirmed. */
@Injectable()
export class ExternalSessions {
  constructor(
    private readonly database: Database,
    private readonly signIns: ExternalSignInsService,
    private readonly identities: IdentitiesService,
    private readonly users: UsersStore,
    private readonly sessions: AccountSessions,
    private readonly steps: SecondSteps,
  ) {}

  /**
   * @throws {ExternalSignInInvalid} `invalid_flow`
   * @throws {SecondFactorRequired} `second_factor_required`
   */
  async open(shown: ShownCode, user: User, origin: Origin): Promise<SignedIn> {
    const work = (): Promise<SignedIn | SecondStep> =>
      this.database.transaction(() => this.openOrAsk(shown, user, origin));
    // A call that asks for a factor is refused, which rolls its transaction back, and the token must remain.
    const result = await (user.secondFactor ? this.database.apart(work) : work());
    if ('token' in result) throw new SecondFactorRequired(result);
    return result;
  }

  private async openOrAsk(shown: ShownCode, known: User, origin: Origin): Promise<SignedIn | SecondStep> {
    const identity = await this.signIns.redeem(shown);
    const { provider } = identity;
    // A new password may remove the identities, and ends every session: none may be opened after it.
    await this.users.sharePasswordLock(known.id);
    if (!(await this.identities.use(identity, known.id))) throw new ExternalSignInInvalid();
    const user = await this.users.find(known.id);
    if (user === undefined) throw new ExternalSignInInvalid();
    return user.secondFactor
      ? this.steps.begin({ userId: user.id, method: provider }, known.secondFactor)
      : this.sessions.open(user, origin, { methods: [provider] });
  }
}
