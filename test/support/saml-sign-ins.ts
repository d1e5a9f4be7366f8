import { SamlRefused } from '../../src/modules/sso/saml/saml-refused.js';
import { type SamlAnswer, type SamlExpectation, verifySamlResponse } from '../../src/modules/sso/saml/saml-response.js';
import { FakeSamlIdp, type SamlForgery, type SamlSignIn } from './saml-idp.js';

export const SAML_NOW = new Date('2031-05-06T07:08:09.000Z');
const SAML_SP = {
  entityId: 'https://service.test/sign-in/sso/sso_1/metadata',
  acsUrl: 'https://service.test/sign-in/sso/sso_1/acs',
};

/** Sign-ins at a provider, and how the service takes its responses. */
export class SamlSignIns {
  private constructor(readonly idp: FakeSamlIdp) {}

  static async create(): Promise<SamlSignIns> {
    return new SamlSignIns(await FakeSamlIdp.create(undefined, SAML_NOW));
  }

  signIn(changes: Partial<SamlSignIn> = {}): SamlSignIn {
    return {
      acsUrl: SAML_SP.acsUrl,
      audience: SAML_SP.entityId,
      inResponseTo: 'svc_flow_1',
      nameId: 'ada',
      attributes: { email: ['ada@acme.test'], groups: ['admins', 'R&D <all>'] },
      now: SAML_NOW,
      ...changes,
    };
  }

  response(forge: SamlForgery = {}, changes: Partial<SamlSignIn> = {}): string {
    return this.idp.respond(this.signIn({ ...changes, forge }));
  }

  verify(base64: string, changes: Partial<SamlExpectation> = {}): Promise<SamlAnswer> {
    const { entityId, certificate } = this.idp;
    const idp = { entityId, certificates: [certificate] };
    return verifySamlResponse(base64, { sp: SAML_SP, idp, now: SAML_NOW, ...changes });
  }

  /** The reason why a response is refused, or `accepted`. */
  async verdict(base64: string, changes?: Partial<SamlExpectation>): Promise<string> {
    try {
      await this.verify(base64, changes);
      return 'accepted';
    } catch (error) {
      return error instanceof SamlRefused ? error.reason : String(error);
    }
  }
}

/** A change of XML that fails the test when there is nothing to change. */
export const replacing =
  (from: string | RegExp, to: string | ((found: string) => string)): ((xml: string) => string) =>
  (xml) => {
    const changed = xml.replace(from, typeof to === 'string' ? () => to : to);
    if (changed === xml) throw new Error(`Nothing to replace: ${String(from)}`);
    return changed;
  };
