import { SAML, type SamlConfig, ValidateInResponseTo } from '@node-saml/node-saml';
import { CLOCK_SKEW_MS, requireFittingResponse, requireMeantFor } from './assertion-checks.js';
import { readAssertion, type SamlAssertion } from './saml-assertion.js';
import { parseSaml, readSamlDocument } from './saml-document.js';
import { SamlRefused } from './saml-refused.js';
import { soundSignatures } from './saml-signatures.js';
import { signersOf } from './saml-signers.js';
import type { ServiceProvider } from './service-provider.js';

export interface SamlExpectation {
  readonly sp: Pick<ServiceProvider, 'entityId' | 'acsUrl'>;
  readonly idp: {
    readonly entityId: string;
    /** PEM. While a provider changes its key there are two: any of them may have signed. */
    readonly certificates: readonly string[];
  };
  readonly now: Date;
}

/** What a provider says of a person who has signed in there. All of it was signed. */
export interface SamlAnswer {
  /** The request that is answered. The caller compares it with that of the flow. */
  readonly inResponseTo: string;
  /** Each counts once: the caller remembers it until {@link usableUntil}. */
  readonly assertionId: string;
  readonly usableUntil: Date;
  readonly nameId: string;
  readonly nameIdFormat: string;
  /** The values of each attribute by its `Name`, in the order of the assertion. */
  readonly attributes: ReadonlyMap<string, readonly string[]>;
  readonly authnInstant: Date;
  readonly sessionNotOnOrAfter: Date | undefined;
}

/**
 * Verifies the value of `SAMLResponse` that a browser posts, and returns what it says.
 *
 * The library verifies the signature and hands back the bytes that were signed; everything that is believed is read
 * from these bytes alone. What the library does not look at is checked here: the form of the document before, and
 * issuer, recipient and times after.
 *
 * @throws {SamlRefused}
 */
export async function verifySamlResponse(base64: string, expectation: SamlExpectation): Promise<SamlAnswer> {
  const { sp, idp, now } = expectation;
  const { xml, response, assertion: unverified } = readSamlDocument(base64);
  const signatures = soundSignatures(response, unverified);
  const signers = signersOf(signatures, idp.certificates, now);
  // The library fails in its own words on an assertion that is incomplete.
  const { id } = readAssertion(unverified);

  const verified = await verifiedAssertion(xml, {
    issuer: sp.entityId,
    audience: sp.entityId,
    callbackUrl: sp.acsUrl,
    idpCert: signers,
    wantAuthnResponseSigned: signatures.some(({ parent }) => parent === response),
  });
  const assertion = readAssertion(parseSaml(verified));
  if (assertion.id !== id) throw new SamlRefused('signature_invalid');
  requireMeantFor(assertion, expectation);
  requireFittingResponse(response, assertion, expectation);
  return answerOf(assertion);
}

/**
 * Returns the bytes of the assertion that were signed.
 *
 * @throws {SamlRefused} `signature_invalid`, `wrong_audience`
 */
async function verifiedAssertion(xml: string, config: SamlConfig): Promise<string> {
  const saml = new SAML({
    ...config,
    wantAssertionsSigned: true,
    // The library reads the clock of the process: times are checked by the clock of the caller instead.
    acceptedClockSkewMs: -1,
    validateInResponseTo: ValidateInResponseTo.never,
  });
  try {
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: Buffer.from(xml).toString('base64') });
    const signed = profile?.getAssertionXml?.();
    if (signed !== undefined) return signed;
  } catch (error) {
    // It looks at the audience after the signature, and says so in its message alone.
    if (error instanceof Error && /^SAML assertion [^:]{0,30}Audience/i.test(error.message))
      throw new SamlRefused('wrong_audience');
  }
  throw new SamlRefused('signature_invalid');
}

function answerOf({ id, confirmation, conditions, ...assertion }: SamlAssertion): SamlAnswer {
  const ends = [confirmation.notOnOrAfter, conditions.notOnOrAfter].map(Number);
  return {
    inResponseTo: confirmation.inResponseTo ?? '',
    assertionId: id,
    usableUntil: new Date(Math.min(...ends) + CLOCK_SKEW_MS),
    nameId: assertion.nameId,
    nameIdFormat: assertion.nameIdFormat,
    attributes: assertion.attributes,
    authnInstant: assertion.authnInstant,
    sessionNotOnOrAfter: assertion.sessionNotOnOrAfter,
  };
}
