import { Type } from 'class-transformer';
import { IsIn, IsOptional, IsString, ValidateNested } from 'class-validator';
import { defineJob } from '../../platform/background/define-job.js';

const AUTH_MAILS = [
  'verify_email',
  'reset_password',
  'invitation',
  'key_created',
  'grant_made',
  'password_changed',
  'new_sign_in',
  'factors_changed',
  'passkey_refused',
  'factor_recovery',
  'factors_recovered',
  'token_leaked',
  'prove_email',
  'approve_email',
  'email_changed',
  'identities_changed',
  'sso_exempt_entry',
] as const;
type AuthMailKind = (typeof AUTH_MAILS)[number];

const LEAKED = ['api_key', 'api_key_secret', 'session', 'deploy_hook', 'scim_token'] as const;

/** A token that was found in public: what it opened, and where it was found. It does not contain the token. */
export class LeakFacts {
  @IsIn(LEAKED) readonly what!: (typeof LEAKED)[number];
  @IsString() readonly id!: string;
  /** Empty for what has no name. */
  @IsString() readonly name!: string;
  @IsOptional() @IsString() readonly url?: string | undefined;
}

/** A message to send. It contains no token, because the worker creates the token together with the message. */
export class AuthMailPayload {
  @IsIn(AUTH_MAILS) readonly kind!: AuthMailKind;
  /** The person, invitation, key, session, change or organization that the message is about. */
  @IsString() readonly subjectId!: string;
  /** With `sso_exempt_entry`, whose subject is the organization. */
  @IsOptional() @IsString() readonly personId?: string;
  /** With `token_leaked`. */
  @IsOptional() @ValidateNested() @Type(() => LeakFacts) readonly leak?: LeakFacts;
}

export const authMailJob = defineJob({
  name: 'auth-mail',
  summary: 'Sends an email about an account: verification, password reset, invitation or security notice.',
  payload: AuthMailPayload,
  // A mail server may be unavailable for a while. The last attempt comes about four minutes after the first.
  attempts: 8,
  backoffMs: 2_000,
  concurrency: 2,
});
