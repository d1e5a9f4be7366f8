const HOUR_MS = 3_600_000;
const WAIT_MS = 48 * HOUR_MS;
export const EMAIL_CHANGE_LIFETIME_MS = 7 * 24 * HOUR_MS;

/** How a change ended. `address_taken`: an account with the new address was created while the change waited. */
export type EmailChangeOutcome = 'changed' | 'cancelled' | 'address_taken';

export interface EmailChangeFields {
  readonly id: string;
  readonly userId: string;
  /** The session that asked for it, which goes on when the others end. */
  readonly sessionId: string;
  readonly ip: string;
  readonly oldEmail: string;
  readonly newEmail: string;
  readonly requestedAt: Date;
  /** From then on the old address is not asked any more. */
  readonly waivedAt: Date;
  readonly expiresAt: Date;
  readonly provenAt: Date | null;
  readonly approvedAt: Date | null;
  readonly outcome: EmailChangeOutcome | null;
}

interface EmailChangeInput extends Pick<
  EmailChangeFields,
  'id' | 'userId' | 'sessionId' | 'ip' | 'oldEmail' | 'newEmail'
> {
  /** False for an address that gets no messages, because nobody has ever verified it. */
  readonly asksOldAddress: boolean;
}

/**
 * A change of a person's email address. The new address proves that the person reads it, and the old one approves. Who
 * has lost the old address waits 48 hours instead.
 */
export class EmailChange {
  constructor(readonly fields: EmailChangeFields) {}

  static requested({ asksOldAddress, ...input }: EmailChangeInput, at: Date): EmailChange {
    return new EmailChange({
      ...input,
      requestedAt: at,
      waivedAt: asksOldAddress ? new Date(at.getTime() + WAIT_MS) : at,
      expiresAt: new Date(at.getTime() + EMAIL_CHANGE_LIFETIME_MS),
      provenAt: null,
      approvedAt: null,
      outcome: null,
    });
  }

  get asksOldAddress(): boolean {
    return this.fields.waivedAt > this.fields.requestedAt;
  }

  isProven(): boolean {
    return this.fields.provenAt !== null;
  }

  /** True when the old address has approved, or is not asked any more. */
  isApproved(now: Date): boolean {
    return this.fields.approvedAt !== null || this.fields.waivedAt <= now;
  }

  /** Returns the change with the proof of one of the two addresses. */
  confirmedBy(address: 'new' | 'old', at: Date): EmailChange {
    return new EmailChange({ ...this.fields, ...(address === 'new' ? { provenAt: at } : { approvedAt: at }) });
  }
}
