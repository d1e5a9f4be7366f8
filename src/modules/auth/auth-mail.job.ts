import { IsIn, IsString } from 'class-validator';
import { defineJob } from '../../platform/background/define-job.js';

const AUTH_MAILS = [
  'verify_email',
  'reset_password',
  'invitation',
  'key_created',
  'grant_made',
  'password_changed',
  'new_sign_in',
] as const;
type AuthMailKind = (typeof AUTH_MAILS)[number];

/** A message to send. It contains no token, because the worker creates the token together with the message. */
export class AuthMailPayload {
  @IsIn(AUTH_MAILS) readonly kind!: AuthMailKind;
  /** The person, the invitation, the key or the session that the message is about. */
  @IsString() readonly subjectId!: string;
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
