import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { EmailTokenInvalid } from '../../auth/auth.errors.js';
import { EmailTokensService } from '../accounts/email-tokens.service.js';
import { EmailChangesStore } from '../persistence/email-changes.store.js';
import type { EmailToken } from '../persistence/email-token.entity.js';
import { UsersStore } from '../persistence/users.store.js';
import type { EmailChange } from './email-change.js';
import { EmailChangeCompletion } from './email-change-completion.js';
import { EmailChangeHistory } from './email-change-history.js';

/** What a change still waits for, or undefined when it has been made. */
export type StillMissing = 'new_address' | 'old_address' | undefined;

/** Takes the tokens of the messages to both addresses. */
@Injectable()
export class EmailChangeConfirmationService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersStore,
    private readonly changes: EmailChangesStore,
    private readonly tokens: EmailTokensService,
    private readonly completion: EmailChangeCompletion,
    private readonly history: EmailChangeHistory,
    private readonly clock: Clock,
  ) {}

  /**
   * Notes that an address agrees, and makes the change when nothing is missing.
   *
   * @throws {EmailTokenInvalid} `invalid_email_token`
   * @throws {EmailTaken} `email_taken`: an account with the address was created meanwhile. The token stays valid.
   */
  async confirm(token: string, ip: string): Promise<StillMissing> {
    const { userId } = await this.database.apart(() => this.database.transaction(() => this.find(token)));
    return this.database.transaction(async () => {
      await this.users.lockPassword(userId);
      const used = await this.tokens.use(token, 'prove_email', 'approve_email');
      const change = await this.changes.findPending(userId, this.clock.now());
      if (change === undefined || !isOf(used, change)) throw new EmailTokenInvalid();
      return this.note(change, used, ip);
    });
  }

  private find(token: string): Promise<EmailToken> {
    return this.tokens.get(token, 'prove_email', 'approve_email');
  }

  private async note(before: EmailChange, { purpose, userId }: EmailToken, ip: string): Promise<StillMissing> {
    const now = this.clock.now();
    const isProof = purpose === 'prove_email';
    const change = before.confirmedBy(isProof ? 'new' : 'old', now);
    // Who reads the mail of the new address need not be the person.
    const by = isProof ? { ip } : { userId, ip };
    await this.changes.saveProofs(change);
    const action = isProof ? 'change_proven' : 'change_approved';
    await this.history.record({ change: change.fields, action }, by);
    if (!change.isProven()) return 'new_address';
    if (!change.isApproved(now)) return 'old_address';
    await this.completion.complete(change, by);
    return undefined;
  }
}

/** A message of an earlier change may be underway while the next one begins. */
const isOf = ({ purpose, email }: EmailToken, { fields }: EmailChange): boolean =>
  email === (purpose === 'prove_email' ? fields.newEmail : fields.oldEmail);
