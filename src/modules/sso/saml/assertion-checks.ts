import type { Period, SamlAssertion } from './saml-assertion.js';
import { ASSERTION } from './saml-names.js';
import { SamlRefused } from './saml-refused.js';
import type { ServiceProvider } from './service-provider.js';
import type { XmlElement } from './xml/xml-element.js';

/** How far the clocks of a provider and this service may be apart. */
export const CLOCK_SKEW_MS = 60_000;

interface Expectation {
  readonly sp: Pick<ServiceProvider, 'entityId' | 'acsUrl'>;
  readonly idp: { readonly entityId: string };
  readonly now: Date;
}

/**
 * Requires that the assertion comes from this provider, is for this connection, answers a request, and is valid now.
 *
 * @throws {SamlRefused}
 */
export function requireMeantFor(assertion: SamlAssertion, { sp, idp, now }: Expectation): void {
  const { issuer, conditions, confirmation } = assertion;
  if (issuer !== idp.entityId) throw new SamlRefused('wrong_issuer');
  const isForUs = (audiences: readonly string[]): boolean => audiences.includes(sp.entityId);
  if (conditions.audiences.length === 0 || !conditions.audiences.every(isForUs))
    throw new SamlRefused('wrong_audience');
  if (confirmation.recipient !== sp.acsUrl) throw new SamlRefused('wrong_recipient');
  if (confirmation.inResponseTo === undefined || confirmation.inResponseTo === '') throw new SamlRefused('unsolicited');
  requireNow(conditions, now);
  requireNow(confirmation, now);
  requireSession(assertion, now);
}

/**
 * Requires that what the response says around the assertion fits to it. The signature may not cover the response, so
 * that nothing of it is used for anything else.
 *
 * @throws {SamlRefused}
 */
export function requireFittingResponse(
  response: XmlElement,
  { confirmation }: SamlAssertion,
  { sp, idp }: Expectation,
): void {
  const issuers = response.all(ASSERTION, 'Issuer');
  if (issuers.some(({ text }) => text !== idp.entityId)) throw new SamlRefused('wrong_issuer');
  if ((response.attribute('Destination') ?? sp.acsUrl) !== sp.acsUrl) throw new SamlRefused('wrong_destination');
  if ((response.attribute('InResponseTo') ?? confirmation.inResponseTo) !== confirmation.inResponseTo)
    throw new SamlRefused('in_response_to_mismatch');
}

function requireNow({ notBefore, notOnOrAfter }: Period, now: Date): void {
  if (notBefore !== undefined && isFuture(notBefore, now)) throw new SamlRefused('not_yet_valid');
  if (isPast(notOnOrAfter, now)) throw new SamlRefused('expired');
}

/** A sign-in that is to happen later would make the session more recent than it is. */
function requireSession({ authnInstant, sessionNotOnOrAfter }: SamlAssertion, now: Date): void {
  if (isFuture(authnInstant, now)) throw new SamlRefused('not_yet_valid');
  if (sessionNotOnOrAfter !== undefined && isPast(sessionNotOnOrAfter, now)) throw new SamlRefused('session_ended');
}

const isFuture = (instant: Date, now: Date): boolean => instant.getTime() - CLOCK_SKEW_MS > now.getTime();
const isPast = (instant: Date, now: Date): boolean => instant.getTime() + CLOCK_SKEW_MS <= now.getTime();
