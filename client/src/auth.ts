import { methodsOf } from './methods.js';
import type { Listing, ListQuery } from './page.js';
import type { RequestOptions, Transport } from './transport.js';
import type { ExplainedCall, Explanation, NewAccount, RotatedSession, Session, SignedIn } from './types.js';

/**
 * Accounts and sessions of people. Programs use keys instead, see `service.keys`.
 *
 * Signing up and signing in need no credential: use `new Service({ anonymous: true })`. For calls that need a session,
 * use `new Service({ sessionToken })`.
 */
export interface Auth {
  /**
   * Creates an account with its own organization, and signs in.
   *
   * @throws {ConflictError} `username_taken`, `email_taken`.
   * @throws {ValidationError} `invalid_request`.
   */
  signUp(account: NewAccount, options?: RequestOptions): Promise<SignedIn>;

  /**
   * @param credentials `login` is the username or the e-mail address.
   * @throws {AuthenticationError} `invalid_credentials`.
   * @throws {RateLimitError} `sign_in_limit_exceeded`: too many attempts.
   */
  signIn(
    credentials: { readonly login: string; readonly password: string },
    options?: RequestOptions,
  ): Promise<SignedIn>;

  /** Ends the session that calls. */
  signOut(options?: RequestOptions): Promise<void>;

  /** Creates a new token for the session; the old one stops working at once. */
  rotateSession(options?: RequestOptions): Promise<RotatedSession>;

  /** Lists your sessions on all devices. */
  sessions(query?: ListQuery, options?: RequestOptions): Listing<Session>;

  /** @throws {NotFoundError} `session_not_found`. */
  endSession(sessionId: string, options?: RequestOptions): Promise<void>;

  /** @throws {ValidationError} `invalid_email_token`: the token of the e-mail is wrong, used or too old. */
  verifyEmail(token: string, options?: RequestOptions): Promise<{ readonly email_verified: true }>;

  /** Sends the e-mail of {@link verifyEmail} again. */
  resendVerification(options?: RequestOptions): Promise<{ readonly sent: true }>;

  /**
   * Sends an e-mail with a token for {@link resetPassword} if the address has an account. The response is the same if
   * it has none.
   */
  forgotPassword(email: string, options?: RequestOptions): Promise<{ readonly sent: true }>;

  /**
   * Sets a new password and ends every session. API keys keep working unless `revoke_keys` is true; an account whose
   * e-mail address was not verified loses them in any case.
   *
   * @throws {ValidationError} `invalid_email_token`.
   */
  resetPassword(
    reset: { readonly token: string; readonly password: string; readonly revoke_keys?: boolean },
    options?: RequestOptions,
  ): Promise<{ readonly reset: true; readonly revoked_keys: number }>;

  /**
   * Sets a new password and ends every other session.
   *
   * @throws {AuthenticationError} `invalid_credentials`: the current password is wrong.
   */
  changePassword(
    change: { readonly current_password: string; readonly new_password: string },
    options?: RequestOptions,
  ): Promise<{ readonly changed: true }>;

  /**
   * Returns whether a call with this key or session would be allowed, and if not, why and what the smallest fix is. The
   * call itself is not made.
   */
  explain(call: ExplainedCall, options?: RequestOptions): Promise<Explanation>;
}

export const authOf = (transport: Transport): Auth =>
  methodsOf<Auth>(transport, {
    signUp: 'post auth/sign-up',
    signIn: 'post auth/sign-in',
    signOut: 'post auth/sign-out -',
    rotateSession: 'post auth/session/rotate -',
    sessions: 'list auth/sessions',
    endSession: 'delete auth/sessions/:',
    verifyEmail: 'post auth/verify-email token',
    resendVerification: 'post auth/verify-email/resend -',
    forgotPassword: 'post auth/password/forgot email',
    resetPassword: 'post auth/password/reset',
    changePassword: 'put auth/password',
    explain: 'post auth/explain',
  });
