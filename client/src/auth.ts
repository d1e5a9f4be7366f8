import { methodsOf } from './methods.js';
import type { Listing, ListQuery } from './page.js';
import type { RequestOptions, Transport } from './transport.js';
import type {
  AddedFactor,
  BegunFlow,
  ConfirmedEmailChange,
  DecidedFlow,
  ExplainedCall,
  Explanation,
  Factors,
  FlowRequest,
  Identity,
  IdentityRequest,
  NewAccount,
  NewTotp,
  RotatedSession,
  Session,
  ShownFactor,
  SignedIn,
  SignInMethods,
  WaitingFlow,
} from './types.js';

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
   * @throws {AuthenticationError} `invalid_credentials`; `second_factor_required`: go on with {@link secondFactor} and
   *   the token in `details`.
   * @throws {RateLimitError} `sign_in_limit_exceeded`: too many attempts.
   */
  signIn(
    credentials: { readonly login: string; readonly password: string },
    options?: RequestOptions,
  ): Promise<SignedIn>;

  /**
   * Completes a sign-in with a code of an app, a recovery code, or the answer of a passkey.
   *
   * @throws {ValidationError} `invalid_flow`: sign in again.
   * @throws {AuthenticationError} `invalid_factor`.
   * @throws {RateLimitError} `burst_limit_exceeded`: a person has five attempts in five minutes.
   */
  secondFactor(shown: { readonly token: string } & ShownFactor, options?: RequestOptions): Promise<SignedIn>;

  /**
   * Removes all second factors after 48 hours, for people who have lost them. `token` is that of {@link secondFactor}.
   *
   * @throws {ValidationError} `invalid_flow`: sign in again.
   */
  recoverFactors(token: string, options?: RequestOptions): Promise<{ readonly due_at: string }>;

  /** Returns what `navigator.credentials.get()` takes, as JSON. */
  passkeyOptions(options?: RequestOptions): Promise<{ readonly options: Readonly<Record<string, unknown>> }>;

  /**
   * Signs in with the answer of a passkey alone, as JSON.
   *
   * @throws {AuthenticationError} `invalid_factor`.
   */
  signInWithPasskey(passkey: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<SignedIn>;

  /** Returns the providers that people can sign in through. */
  signInMethods(options?: RequestOptions): Promise<SignInMethods>;

  /**
   * Begins a sign-in with GitHub, Google or the SSO connection of an organization, or with `browser` that of a program,
   * which a person lets in from the dashboard. Open `authorize_url` in the browser of the person, which returns to
   * `return_to` with a `code` or an `error`.
   *
   * @throws {ValidationError} `invalid_request`: a sign-in may not return there.
   * @throws {ConflictError} `integration_not_configured`.
   * @throws {NotFoundError} `sso_connection_not_found`.
   */
  beginFlow(flow: FlowRequest, options?: RequestOptions): Promise<BegunFlow>;

  /**
   * Completes it. The code counts once, within a minute, with the verifier of the challenge.
   *
   * @throws {ValidationError} `invalid_flow`: begin again.
   * @throws {AuthenticationError} `second_factor_required`: go on with {@link secondFactor}.
   * @throws {ConflictError} `account_exists`: sign in another way, then connect it; `identity_without_email`.
   */
  completeFlow(
    flowId: string,
    shown: { readonly code: string; readonly verifier: string },
    options?: RequestOptions,
  ): Promise<SignedIn>;

  /**
   * Returns the sign-in of a program that waits for a decision.
   *
   * @throws {ValidationError} `invalid_flow`.
   */
  waitingFlow(flowId: string, options?: RequestOptions): Promise<WaitingFlow>;

  /**
   * Lets the program sign in as you. Open `redirect_to` in the browser.
   *
   * @throws {AuthenticationError} `recent_sign_in_required`.
   * @throws {ValidationError} `invalid_flow`.
   */
  approveFlow(flowId: string, options?: RequestOptions): Promise<DecidedFlow>;

  /**
   * Refuses, which ends the sign-in of the program. Open `redirect_to` in the browser.
   *
   * @throws {ValidationError} `invalid_flow`.
   */
  denyFlow(flowId: string, options?: RequestOptions): Promise<DecidedFlow>;

  /** Lists the accounts at providers and SSO connections that you sign in through. */
  identities(options?: RequestOptions): Promise<readonly Identity[]>;

  /**
   * Begins to connect one, as {@link beginFlow}.
   *
   * @throws {AuthenticationError} `recent_sign_in_required`.
   */
  beginIdentity(flow: IdentityRequest, options?: RequestOptions): Promise<BegunFlow>;

  /**
   * Connects it.
   *
   * @throws {ValidationError} `invalid_flow`: begin again.
   * @throws {ConflictError} `already_exists`: it belongs to another account, or you have one of this provider.
   */
  completeIdentity(
    shown: { readonly flow_id: string; readonly code: string; readonly verifier: string },
    options?: RequestOptions,
  ): Promise<Identity>;

  /**
   * @throws {AuthenticationError} `recent_sign_in_required`.
   * @throws {ConflictError} `last_sign_in_method`: nothing else would sign you in.
   * @throws {NotFoundError} `identity_not_found`.
   */
  removeIdentity(identityId: string, options?: RequestOptions): Promise<void>;

  /**
   * Shows again who you are, so that the session counts as recent for 15 minutes. With a second factor, the password is
   * not enough.
   *
   * @throws {AuthenticationError} `invalid_credentials`, `invalid_factor`, `second_factor_required`.
   */
  confirmSession(
    shown: { readonly password: string } | ShownFactor,
    options?: RequestOptions,
  ): Promise<{ readonly confirmed: true }>;

  /** Lists your second factors. */
  factors(options?: RequestOptions): Promise<Factors>;

  /**
   * Creates the secret of an authenticator app, which counts after {@link confirmTotp}.
   *
   * @throws {AuthenticationError} `recent_sign_in_required`.
   */
  beginTotp(options?: RequestOptions): Promise<NewTotp>;

  /**
   * Your first factor comes with recovery codes.
   *
   * @throws {AuthenticationError} `invalid_factor`, `recent_sign_in_required`.
   * @throws {NotFoundError} `factor_not_found`: begin first.
   */
  confirmTotp(code: string, options?: RequestOptions): Promise<AddedFactor>;

  /**
   * Returns what `navigator.credentials.create()` takes, as JSON.
   *
   * @throws {AuthenticationError} `recent_sign_in_required`.
   */
  newPasskeyOptions(options?: RequestOptions): Promise<{ readonly options: Readonly<Record<string, unknown>> }>;

  /**
   * Adds the passkey that a browser has created. Your first factor comes with recovery codes.
   *
   * @throws {AuthenticationError} `invalid_factor`, `recent_sign_in_required`.
   * @throws {ConflictError} `factor_limit_reached`.
   */
  addPasskey(
    passkey: { readonly name: string; readonly passkey: Readonly<Record<string, unknown>> },
    options?: RequestOptions,
  ): Promise<AddedFactor>;

  /**
   * Replaces your recovery codes.
   *
   * @throws {AuthenticationError} `recent_sign_in_required`.
   * @throws {NotFoundError} `factor_not_found`: you have no factor.
   */
  renewRecoveryCodes(options?: RequestOptions): Promise<{ readonly recovery_codes: readonly string[] }>;

  /**
   * @throws {AuthenticationError} `recent_sign_in_required`.
   * @throws {NotFoundError} `factor_not_found`.
   */
  removeFactor(factorId: string, options?: RequestOptions): Promise<void>;

  /** Ends the session that calls. */
  signOut(options?: RequestOptions): Promise<void>;

  /** Creates a new token for the session; the old one stops working at once. */
  rotateSession(options?: RequestOptions): Promise<RotatedSession>;

  /** Lists your sessions on all devices. */
  sessions(query?: ListQuery, options?: RequestOptions): Listing<Session>;

  /** @throws {NotFoundError} `session_not_found`. */
  endSession(sessionId: string, options?: RequestOptions): Promise<void>;

  /** Ends your sessions on all other devices. Keys keep working. */
  endOtherSessions(options?: RequestOptions): Promise<void>;

  /** @throws {ValidationError} `invalid_email_token`: the token of the e-mail is wrong, used or too old. */
  verifyEmail(token: string, options?: RequestOptions): Promise<{ readonly email_verified: true }>;

  /** Sends the e-mail of {@link verifyEmail} again. */
  resendVerification(options?: RequestOptions): Promise<{ readonly sent: true }>;

  /**
   * Confirms a change of an e-mail address with the token of one of its two messages. The address changes with the
   * second of them, or 48 hours after the request if the old address does not answer.
   *
   * @throws {ValidationError} `invalid_email_token`.
   * @throws {ConflictError} `email_taken`: an account with the address was created meanwhile.
   */
  confirmEmailChange(token: string, options?: RequestOptions): Promise<ConfirmedEmailChange>;

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
    secondFactor: 'post auth/second-factor',
    recoverFactors: 'post auth/second-factor/recover token',
    passkeyOptions: 'post auth/passkey/options -',
    signInWithPasskey: 'post auth/passkey passkey',
    signInMethods: 'get auth/methods',
    beginFlow: 'post auth/flows',
    completeFlow: 'post auth/flows/:/complete',
    waitingFlow: 'get auth/flows/:',
    approveFlow: 'post auth/flows/:/approve -',
    denyFlow: 'post auth/flows/:/deny -',
    identities: 'get me/identities',
    beginIdentity: 'post me/identities',
    completeIdentity: 'post me/identities/complete',
    removeIdentity: 'delete me/identities/:',
    confirmSession: 'post auth/session/confirm',
    factors: 'get me/factors',
    beginTotp: 'post me/factors/totp -',
    confirmTotp: 'post me/factors/totp/confirm code',
    newPasskeyOptions: 'post me/factors/passkeys/options -',
    addPasskey: 'post me/factors/passkeys',
    renewRecoveryCodes: 'post me/factors/recovery-codes -',
    removeFactor: 'delete me/factors/:',
    signOut: 'post auth/sign-out -',
    rotateSession: 'post auth/session/rotate -',
    sessions: 'list auth/sessions',
    endSession: 'delete auth/sessions/:',
    endOtherSessions: 'delete auth/sessions',
    verifyEmail: 'post auth/verify-email token',
    resendVerification: 'post auth/verify-email/resend -',
    confirmEmailChange: 'post auth/confirm-email-change token',
    forgotPassword: 'post auth/password/forgot email',
    resetPassword: 'post auth/password/reset',
    changePassword: 'put auth/password',
    explain: 'post auth/explain',
  });
