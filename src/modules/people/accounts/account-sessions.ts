import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { authMailJob } from '../../auth/auth-mail.job.js';
import { type Origin, SessionsService } from '../../auth/sessions.service.js';
import type { User } from '../persistence/user.entity.js';
import { type Account, AccountsService } from './accounts.service.js';
import { KnownAddresses } from './known-addresses.js';

export interface SignedIn extends Account {
  /** The token is returned only once. */
  readonly sessionToken: string;
}

/** Opens sessions and remembers the addresses that they come from. All methods join the running transaction. */
@Injectable()
export class AccountSessions {
  constructor(
    private readonly accounts: AccountsService,
    private readonly sessions: SessionsService,
    private readonly addresses: KnownAddresses,
    private readonly outbox: Outbox,
  ) {}

  /** Opens the session that comes with a new account. Its address is the first known one and needs no notice. */
  async openFirst(user: User, origin: Origin): Promise<SignedIn> {
    const { token } = await this.sessions.open(user.id, origin);
    await this.addresses.note(user.id, origin.ip);
    return { ...(await this.accounts.of(user)), sessionToken: token };
  }

  /** Opens a session, and notifies the user by mail when the address is a new one. */
  async open(user: User, origin: Origin): Promise<SignedIn> {
    const { id, token } = await this.sessions.open(user.id, origin);
    if (await this.addresses.note(user.id, origin.ip))
      await this.outbox.enqueue(authMailJob, { kind: 'new_sign_in', subjectId: id });
    return { ...(await this.accounts.of(user)), sessionToken: token };
  }
}
