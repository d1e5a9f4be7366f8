import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AnswerMeta } from '../../../platform/http/page.js';
import { IsEmailAddress } from '../../../platform/text/text-fields.js';
import type { CallingUser } from '../../auth/principal.js';
import type { EmailChange } from '../emails/email-change.js';
import type { StillMissing } from '../emails/email-change-confirmation.service.js';

export class ChangeEmailBody {
  @ApiProperty({ format: 'email', maxLength: 254, example: 'ada@example.com' })
  @IsEmailAddress()
  readonly email!: string;
}

export class EmailChangeView {
  @ApiProperty({ example: 'ada@example.com', description: 'The new address.' }) email!: string;
  @ApiProperty({ format: 'date-time' }) requested_at!: string;
  @ApiProperty({ format: 'date-time', description: 'The change is dropped when it was not made until then.' })
  expires_at!: string;
  @ApiProperty({ description: 'True when the new address has confirmed the change.' }) proven!: boolean;
  @ApiProperty({ description: 'True when the old address has confirmed the change.' }) approved!: boolean;
  @ApiProperty({
    format: 'date-time',
    description:
      'From then on the old address need not confirm: 48 hours after the request, or at once if nobody has ' +
      'ever verified it and the service requires that.',
  })
  approval_waived_at!: string;

  static of({ fields }: EmailChange): EmailChangeView {
    return {
      email: fields.newEmail,
      requested_at: fields.requestedAt.toISOString(),
      expires_at: fields.expiresAt.toISOString(),
      proven: fields.provenAt !== null,
      approved: fields.approvedAt !== null,
      approval_waived_at: fields.waivedAt.toISOString(),
    };
  }
}

export class EmailView {
  @ApiProperty({ example: 'ada@example.org' }) email!: string;
  @ApiProperty() email_verified!: boolean;
  @ApiPropertyOptional({ type: EmailChangeView, description: 'Change in progress. Absent without one.' })
  change?: EmailChangeView;

  static of({ email, emailVerified }: CallingUser, change: EmailChange | undefined): EmailView {
    return {
      email,
      email_verified: emailVerified,
      ...(change === undefined ? {} : { change: EmailChangeView.of(change) }),
    };
  }
}

export class EmailAnswer {
  @ApiProperty({ type: EmailView }) data!: EmailView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class EmailChangeAnswer {
  @ApiProperty({ type: EmailChangeView }) data!: EmailChangeView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class ConfirmedEmailChangeView {
  @ApiProperty({ description: 'True when the address has changed.' }) email_changed!: boolean;
  @ApiPropertyOptional({
    enum: ['new_address', 'old_address'],
    description: 'The address whose confirmation is missing. Absent when the address has changed.',
  })
  waits_for?: 'new_address' | 'old_address';

  static of(missing: StillMissing): ConfirmedEmailChangeView {
    return { email_changed: missing === undefined, ...(missing === undefined ? {} : { waits_for: missing }) };
  }
}

export class ConfirmedEmailChangeAnswer {
  @ApiProperty({ type: ConfirmedEmailChangeView }) data!: ConfirmedEmailChangeView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
