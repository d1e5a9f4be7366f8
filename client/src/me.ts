import { methodsOf } from './methods.js';
import type { RequestOptions, Transport } from './transport.js';
import type { Email, EmailChange, WhoCalls } from './types.js';

/** The caller. */
export interface Me {
  /**
   * Returns the owner of the key or session, and what it may do in the organization of the call.
   *
   * @throws {AuthenticationError} `missing_api_key`, `invalid_api_key`, `expired_api_key`, `revoked_api_key`,
   * `rotated_api_key`.
   */
  get(options?: RequestOptions): Promise<WhoCalls>;

  /** Returns your email address, and the change of it that is in progress. Needs a session. */
  email(options?: RequestOptions): Promise<Email>;

  /**
   * Begins to change your email address: both addresses get a message with a token for
   * `service.auth.confirmEmailChange`. The response is the same when the address belongs to another account.
   * Needs a session.
   *
   * @throws {AuthenticationError} `recent_sign_in_required`.
   * @throws {ValidationError} `invalid_request`: it is the address that you have.
   * @throws {RateLimitError} `burst_limit_exceeded`: five changes an hour.
   */
  changeEmail(email: string, options?: RequestOptions): Promise<EmailChange>;

  /**
   * Cancels the change of your email address. Needs a session.
   *
   * @throws {NotFoundError} `email_change_not_found`.
   */
  cancelEmailChange(options?: RequestOptions): Promise<void>;

  /**
   * Exports what the service keeps about you and in your personal organization. The body is NDJSON, a thing in each
   * line; the last line is `{"end":{"lines":…}}`. Needs a session.
   *
   * @throws {AuthenticationError} `recent_sign_in_required`.
   * @throws {RateLimitError} `burst_limit_exceeded`: ten exports an hour.
   */
  export(options?: RequestOptions): Promise<Response>;

  /**
   * Deletes your account, your personal organization and everything in it. It cannot be undone. Needs a session.
   *
   * @param username your own, to confirm that you mean it.
   * @throws {ConflictError} `last_owner`: `details.organizations` have other members and no other owner.
   * @throws {AuthenticationError} `recent_sign_in_required`.
   * @throws {ValidationError} `confirmation_mismatch`: it is another username.
   */
  delete(username: string, options?: RequestOptions): Promise<void>;
}

export const meOf = (transport: Transport): Me => ({
  ...methodsOf<Omit<Me, 'export'>>(transport, {
    get: 'get me',
    email: 'get me/email',
    changeEmail: 'post me/email email',
    cancelEmailChange: 'delete me/email/change',
    delete: 'delete me?username=:',
  }),
  export: (options) => transport.response({ method: 'GET', path: '/api/v1/me/export' }, options),
});
