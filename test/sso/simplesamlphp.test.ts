import { createHash, randomBytes } from 'node:crypto';
import { type BegunFlow, completeFlow, FakeBrowser, locationOf } from '../support/external-sign-in.js';
import { ConnectionTenant } from '../support/connection-tenant.js';
import { as, expectStatus, Make, type Person, uniqueName } from '../support/make.js';
import { type SamlUser, SimpleSamlPhp, withSimpleSamlPhp } from '../support/simplesamlphp.js';
import { type Answer, useApp } from '../support/test-app.js';

jest.setTimeout(90_000);

/** A provider that is not ours, from the first setup to members who come in. */
describe('SimpleSAMLphp as the identity provider of an organization', () => {
  const provider = new SimpleSamlPhp();
  const settings: NodeJS.ProcessEnv = {};
  beforeAll(async () => {
    if (!SimpleSamlPhp.isInstalled()) return;
    await provider.start();
    settings['SSO_ALLOWED_HOSTS'] = new URL(provider.ssoUrl).host;
  });
  const app = useApp(settings);
  const make = new Make(app);
  let acme: ConnectionTenant;
  let connection: any;

  const user = (attributes: Partial<SamlUser['attributes']> = {}): SamlUser => {
    const uid = uniqueName('u');
    const account = {
      username: uid,
      password: 'a "pass" & <phrase>',
      attributes: {
        uid,
        mail: `${uid}@${acme.domain}`,
        displayName: 'Ada <Lovelace>',
        groups: ['staff'],
        ...attributes,
      },
    };
    provider.setUser(account);
    return account;
  };
  const errorOf = ({ status, body }: Answer): unknown => [status, body.error?.code];

  /** Signs in at the provider, and posts what it says as the page of the provider does. */
  async function post(browser: FakeBrowser, flow: BegunFlow, who: SamlUser): Promise<Answer> {
    const { acsUrl, SAMLResponse } = await provider.signIn(await browser.start(flow), who);
    expect(acsUrl).toBe(connection.saml.acs_url);
    return send(new URL(acsUrl).pathname, SAMLResponse);
  }
  const send = (path: string, SAMLResponse: string): Promise<Answer> =>
    app.call('POST', path, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ SAMLResponse }).toString(),
    });
  async function walk(flow: BegunFlow, who: SamlUser): Promise<string> {
    const browser = new FakeBrowser(app);
    const finish = locationOf(await post(browser, flow, who));
    const returned = new URL(locationOf(await browser.open(finish)));
    return returned.searchParams.get('code') ?? `no code: ${returned.search}`;
  }
  async function begin(): Promise<BegunFlow> {
    const verifier = randomBytes(32).toString('base64url');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const body = { method: 'sso', org: acme.org.slug, return_to: 'http://127.0.0.1:49152/', challenge };
    const { id, authorize_url: url } = expectStatus(201, await app.post('/api/v1/auth/flows', body)).body.data;
    return { id: id as string, path: new URL(url as string).pathname, verifier };
  }
  async function signIn(who: SamlUser): Promise<Answer> {
    const flow = await begin();
    return completeFlow(app, flow, await walk(flow, who));
  }
  const roleOf = async (sessionToken: string): Promise<string | undefined> => {
    const { organizations } = expectStatus(200, await app.fetch('/api/v1/me', as(sessionToken))).body.data;
    return organizations.find(({ id }: { id: string }) => id === acme.org.id)?.role;
  };

  beforeAll(async () => {
    if (!SimpleSamlPhp.isInstalled()) return;
    acme = await ConnectionTenant.create(app, make);
    const mapping = { subject: 'uid' };
    const group_roles = [{ group: 'leads', role: 'admin' }];
    connection = await acme.saml({ metadata_xml: await provider.metadata() }, { mapping, group_roles });
    // The provider verifies requests with the certificate that our metadata name.
    const metadata = await app.fetch(new URL(connection.saml.metadata_url as string).pathname);
    const certificate = /<(?:\w+:)?X509Certificate>([^<]+)</.exec(expectStatus(200, metadata).text)![1]!;
    const pem = `-----BEGIN CERTIFICATE-----\n${certificate.trim()}\n-----END CERTIFICATE-----\n`;
    const { entity_id: entityId, acs_url: acsUrl } = connection.saml;
    provider.trust({ entityId: entityId as string, acsUrl: acsUrl as string, certificate: pem });
    const flow = await acme.beginTest(connection);
    expectStatus(200, await acme.completeTest(connection, flow, await walk(flow, user())));
    expectStatus(200, await acme.call('POST', `/${connection.id}/activate`));
  });
  afterAll(() => provider.stop());

  withSimpleSamlPhp('makes people members at their first sign-in, with the role of their groups', async () => {
    const ada = user({ groups: ['staff', 'leads'] });
    const first = expectStatus(200, await signIn(ada)).body.data;
    expect(first.user).toMatchObject({ email: ada.attributes['mail'], email_verified: true });
    expect(await roleOf(first.session_token as string)).toBe('admin');
    provider.setUser({ ...ada, attributes: { ...ada.attributes, groups: ['staff'] } });
    const second = expectStatus(200, await signIn(ada)).body.data;
    expect(second.user.id).toBe(first.user.id);
    expect(await roleOf(second.session_token as string)).toBe('member');
  });

  withSimpleSamlPhp('finds the account of a member by the proven address', async () => {
    const member: Person = await make.person({ email: `${uniqueName('grace')}@${acme.domain}` });
    await make.sql('UPDATE users SET email_verified_at = now() WHERE id = $1', [member.user.id]);
    const entered = expectStatus(200, await signIn(user({ mail: member.user.email }))).body.data;
    expect(entered.user.id).toBe(member.user.id);
  });

  withSimpleSamlPhp('speaks for no address in another domain', async () => {
    const victim = await make.person();
    expect(errorOf(await signIn(user({ mail: victim.user.email })))).toEqual([409, 'domain_not_verified']);
  });

  withSimpleSamlPhp(
    'refuses an answer that is posted twice, changed, sent elsewhere, or that nobody asked for',
    async () => {
      const ada = user();
      const browser = new FakeBrowser(app);
      const { acsUrl, SAMLResponse } = await provider.signIn(await browser.start(await begin()), ada);
      const path = new URL(acsUrl).pathname;
      const xml = Buffer.from(SAMLResponse, 'base64').toString();
      const changed = Buffer.from(xml.replaceAll(ada.attributes['uid'], 'u-of-another')).toString('base64');
      expect(errorOf(await send(path, changed))).toEqual([401, 'sso_response_invalid']);
      const other = await acme.saml({ metadata_xml: await provider.metadata() });
      const elsewhere = new URL(other.saml.acs_url as string).pathname;
      expect(errorOf(await send(elsewhere, SAMLResponse))).toEqual([401, 'sso_response_invalid']);
      expectStatus(303, await send(path, SAMLResponse));
      expect((await send(path, SAMLResponse)).status).toBeGreaterThanOrEqual(400);
      const unsolicited = await provider.signIn(provider.unsolicitedUrl(connection.saml.entity_id as string), ada);
      expect(errorOf(await send(path, unsolicited.SAMLResponse))).toEqual([401, 'sso_response_invalid']);
    },
  );

  withSimpleSamlPhp('lets nobody finish a sign-in in another browser', async () => {
    const [mine, theirs] = [new FakeBrowser(app), new FakeBrowser(app)];
    const finish = locationOf(await post(mine, await begin(), user()));
    expectStatus(400, await theirs.open(finish));
    expect(locationOf(await mine.open(finish))).toContain('code=');
  });
});
