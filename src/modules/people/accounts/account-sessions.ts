import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { authMailJob } from '../../auth/auth-mail.job.js';
import { type OpenedSession, type Origin, SessionsService } from '../../auth/sessions.service.js';
import type { ShownMethods } from '../../auth/shown-methods.js';
import type { User } from '../persistence/user.entity.js';
import { UsersStore } from '../persistence/users.store.js';
import { type Account, AccountsService } from './accounts.service.js';
import { KnownAddresses } from './known-addresses.js';
import { type RefusedMethod, RefusedSignIns } from './refused-sign-ins.js';

export interface SignedIn extends Account {
  /** The token is returned only once. */
  readonly sessionToken: string;
}

/** Opens sessions and remembers the addresses that they come from, in the running transaction. */
@Injectable()
export class AccountSessions {
  constructor(
    private readonly accounts: AccountsService,
    private readonly sessions: SessionsService,
    private readonly addresses: KnownAddresses,
    private readonly outbox: Outbox,
    private readonly refused: RefusedSignIns,
    private readonly users: UsersStore,
  ) {}

  /** Opens the session that comes with a new account. Its address is the first known one and needs no notice. */
  async openFirst(user: User, origin: Origin, shown: ShownMethods): Promise<SignedIn> {
    const { token } = await this.sessions.open(user.id, origin, shown);
    await this.addresses.note(user.id, origin.ip);
    return { ...(await this.accounts.of(user)), sessionToken: token };
  }

  /** Opens a session, and notifies the user by mail when the address is a new one. */
  async open(user: User, origin: Origin, shown: ShownMethods): Promise<SignedIn> {
    return this.introduce(user, await this.sessions.open(user.id, origin, shown), origin);
  }

  /**
   * {@link open} for a program that the person of another session lets in.
   *
   * @returns undefined when that session has ended.
   */
  async openFrom(sessionId: string, origin: Origin): Promise<SignedIn | undefined> {
    const opened = await this.sessions.openFrom(sessionId, origin);
    const user = opened && (await this.users.find(opened.userId));
    if (opened === undefined || user === undefined) return undefined;
    return this.introduce(user, opened, origin);
  }

  /** Records that no session was opened, after the response and apart from the transaction, which is rolled back. */
  noteRefusal(userId: string, method: RefusedMethod, { ip }: Origin): void {
    this.refused.note(userId, method, ip);
  }

  private async introduce(user: User, { id, token }: OpenedSession, { ip }: Origin): Promise<SignedIn> {
    if (await this.addresses.note(user.id, ip))
      await this.outbox.enqueue(authMailJob, { kind: 'new_sign_in', subjectId: id });
    return { ...(await this.accounts.of(user)), sessionToken: token };
  }
}
