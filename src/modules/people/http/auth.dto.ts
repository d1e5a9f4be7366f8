import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta } from '../../../platform/http/page.js';
import { IsEmailAddress } from '../../../platform/text/text-fields.js';
import { PLAN_IDS, type PlanId } from '../../plans/plan.js';
import type { SignedIn } from '../accounts/account-sessions.js';
import { TokenBody } from '../../auth/token-body.js';
import { IsName } from '../../orgs/slug-field.js';
import { IsKnownPassword, IsLogin, IsNewPassword } from './fields.js';

const PASSWORD = {
  format: 'password',
  example: 'violet-harbor-lantern-42',
  minLength: 10,
  maxLength: 200,
  description:
    'Must not be in the lists of stolen passwords, must not contain the username or the email address, and must be ' +
    'more than the name of this service.',
};

export class SignUpBody {
  @ApiProperty({
    description: 'Also the slug of the personal organization. Converted to lower case.',
    pattern: '^[a-z0-9](-?[a-z0-9])*$',
    minLength: 2,
    maxLength: 39,
    example: 'ada',
  })
  @IsName()
  readonly username!: string;

  @ApiProperty({ format: 'email', maxLength: 254, example: 'ada@example.org' })
  @IsEmailAddress()
  readonly email!: string;

  @ApiProperty(PASSWORD)
  @IsNewPassword()
  readonly password!: string;
}

export class SignInBody {
  @ApiProperty({ description: 'Username or email address.', example: 'ada' })
  @IsLogin()
  readonly login!: string;

  @ApiProperty({ example: 'violet-harbor-lantern-42', format: 'password' })
  @IsKnownPassword()
  readonly password!: string;
}

export class ForgotPasswordBody {
  @ApiProperty({ format: 'email', maxLength: 254, example: 'ada@example.org' })
  @IsEmailAddress()
  readonly email!: string;
}

export class ResetPasswordBody extends TokenBody {
  @ApiProperty(PASSWORD)
  @IsNewPassword()
  readonly password!: string;

  @ApiPropertyOptional({
    example: true,
    type: Boolean,
    default: false,
    description:
      'Also revokes every API key of the account and disconnects GitHub and Google. Send true if another person may ' +
      'have had access.',
  })
  @MayBeAbsent()
  @IsBoolean()
  readonly revoke_keys: boolean = false;
}

export class ChangePasswordBody {
  @ApiProperty({ example: 'violet-harbor-lantern-42', format: 'password' })
  @IsKnownPassword()
  readonly current_password!: string;

  @ApiProperty(PASSWORD)
  @IsNewPassword()
  readonly new_password!: string;
}

class UserView {
  @ApiProperty({ example: 'usr_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'ada' }) username!: string;
  @ApiProperty({ example: 'ada@example.org' }) email!: string;
  @ApiProperty() email_verified!: boolean;
}

class HomeOrganizationView {
  @ApiProperty({ example: 'org_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'ada' }) slug!: string;
  @ApiProperty({ example: 'ada' }) name!: string;
  @ApiProperty({ enum: PLAN_IDS }) plan!: PlanId;
}

export class SignedInView {
  @ApiProperty({ type: UserView }) user!: UserView;
  @ApiProperty({ type: HomeOrganizationView, description: "The user's personal organization." })
  organization!: HomeOrganizationView;
  @ApiPropertyOptional({
    type: String,
    description:
      'Token of the session, which is returned only once. Use it to create API keys. ' +
      'It is absent with `x-service-session: cookie`.',
    example: 'svc_sess_…',
  })
  session_token?: string;

  static of({ user, organization, sessionToken }: SignedIn): SignedInView {
    return {
      user: { id: user.id, username: user.username, email: user.email, email_verified: user.emailVerified },
      organization: { id: organization.id, slug: organization.slug, name: organization.name, plan: organization.plan },
      session_token: sessionToken,
    };
  }
}

export class SignedInAnswer {
  @ApiProperty({ type: SignedInView }) data!: SignedInView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class SentView {
  @ApiProperty({ type: Boolean, enum: [true] }) sent!: true;
}

export class SentAnswer {
  @ApiProperty({ type: SentView }) data!: SentView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class EmailVerifiedView {
  @ApiProperty({ type: Boolean, enum: [true] }) email_verified!: true;
}

export class EmailVerifiedAnswer {
  @ApiProperty({ type: EmailVerifiedView }) data!: EmailVerifiedView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class PasswordResetView {
  @ApiProperty({ type: Boolean, enum: [true] }) reset!: true;
  @ApiProperty({ description: 'Number of revoked API keys.', example: 0 }) revoked_keys!: number;
}

export class PasswordResetAnswer {
  @ApiProperty({ type: PasswordResetView }) data!: PasswordResetView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class PasswordChangedView {
  @ApiProperty({ type: Boolean, enum: [true] }) changed!: true;
}

export class PasswordChangedAnswer {
  @ApiProperty({ type: PasswordChangedView }) data!: PasswordChangedView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
