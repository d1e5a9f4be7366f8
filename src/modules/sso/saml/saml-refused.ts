/** Why a response of an identity provider is not believed. The names are for audit logs and metrics. */
export type SamlReason =
  | 'too_large'
  | 'not_base64'
  | 'not_utf8'
  | 'not_xml'
  | 'doctype_not_allowed'
  | 'comment_not_allowed'
  | 'markup_not_allowed'
  | 'too_complex'
  | 'not_a_response'
  | 'several_responses'
  | 'denied_by_provider'
  | 'no_assertion'
  | 'several_assertions'
  | 'assertion_misplaced'
  | 'assertion_malformed'
  | 'encryption_not_supported'
  | 'duplicate_id'
  | 'assertion_not_signed'
  | 'signature_malformed'
  | 'signature_misplaced'
  | 'signature_invalid'
  | 'algorithm_not_allowed'
  | 'transform_not_allowed'
  | 'reference_not_allowed'
  | 'certificate_expired'
  | 'wrong_issuer'
  | 'wrong_destination'
  | 'wrong_recipient'
  | 'wrong_audience'
  | 'condition_not_supported'
  | 'unsolicited'
  | 'in_response_to_mismatch'
  | 'expired'
  | 'not_yet_valid'
  | 'session_ended'
  | 'transient_subject'
  | 'subject_format_not_supported'
  | 'no_subject';

/**
 * What no provider sends, however it is set up: another key, or a signed assertion that was changed, moved or wrapped.
 * A provider with a new certificate that nobody has added is the one exception (`signature_invalid`).
 */
const FORGERIES: ReadonlySet<SamlReason> = new Set([
  'doctype_not_allowed',
  'several_responses',
  'several_assertions',
  'assertion_misplaced',
  'duplicate_id',
  'signature_malformed',
  'signature_misplaced',
  'signature_invalid',
  'reference_not_allowed',
  'in_response_to_mismatch',
]);

/** The response is forged, stale, meant for another place, or of a form that is not supported. */
export class SamlRefused extends Error {
  /** The message repeats nothing of the response, and the library's own errors, which do, are not attached. */
  constructor(
    readonly reason: SamlReason,
    /** The last part of the status that the provider sent, such as `AuthnFailed`, for `denied_by_provider`. */
    readonly providerStatus?: string,
  ) {
    super(`The SAML response is refused: ${reason}.`);
  }

  get isForgery(): boolean {
    return FORGERIES.has(this.reason);
  }
}
