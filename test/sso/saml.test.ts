import { inflateRawSync } from 'node:zlib';
import { type BegunFlow, FakeBrowser, locationOf } from '../support/external-sign-in.js';
import { as, expectStatus, Make, type Person } from '../support/make.js';
import { FakeSamlIdp, type SamlForgery, type SamlSignIn } from '../support/saml-idp.js';
import { ConnectionTenant } from '../support/connection-tenant.js';
import { type Answer, useApp } from '../support/test-app.js';

jest.setTimeout(60_000);

const app = useApp();
const make = new Make(app);
const codeOf = ({ status, body }: Answer): [number, string] => [status, body.error?.code];

let idp: FakeSamlIdp;
let owner: Person;
let acme: ConnectionTenant;
beforeAll(async () => {
  idp = await FakeSamlIdp.create();
});
beforeEach(async () => {
  owner = await make.person();
  acme = await ConnectionTenant.create(app, make, { owner });
});

const created = (more: object = {}): Promise<any> => acme.saml({ metadata_xml: idp.metadata() }, more);
const acsOf = ({ id }: { id: string }): string => `/sign-in/sso/${id}/acs`;
const post = (
  path: string,
  form: Record<string, string>,
  type = 'application/x-www-form-urlencoded',
): Promise<Answer> =>
  app.call('POST', path, { headers: { 'content-type': type }, body: new URLSearchParams(form).toString() });

/** The request that a browser comes to the provider with. */
function requestAt(location: string): { id: string; xml: string } {
  const deflated = Buffer.from(new URL(location).searchParams.get('SAMLRequest')!, 'base64');
  const xml = inflateRawSync(deflated).toString();
  return { id: / ID="([^"]+)"/.exec(xml)![1]!, xml };
}

/** What the provider says to the request of a sign-in at this connection. */
const responseFor = (connection: any, inResponseTo: string, changes: Partial<SamlSignIn> = {}): string =>
  idp.respond({
    acsUrl: connection.saml.acs_url,
    audience: connection.saml.entity_id,
    inResponseTo,
    nameId: 'ada-1',
    now: new Date(),
    ...changes,
  });

/** Begins a test and goes to the provider. */
async function started(connection: any): Promise<{ flow: BegunFlow; browser: FakeBrowser; requestId: string }> {
  const flow = await acme.beginTest(connection);
  const browser = new FakeBrowser(app);
  const { id: requestId } = requestAt(await browser.start(flow));
  return { flow, browser, requestId };
}

describe('a connection of SAML', () => {
  it('sends a signed request to the provider, and takes the answer by POST', async () => {
    const connection = await created({ mapping: { groups: 'roles' } });
    const flow = await acme.beginTest(connection);
    const browser = new FakeBrowser(app);
    const location = await browser.start(flow);
    expect(location.startsWith(`${idp.ssoUrl}?SAMLRequest=`)).toBe(true);
    const { id, xml } = requestAt(location);
    expect(xml).toContain(`AssertionConsumerServiceURL="${connection.saml.acs_url}"`);
    expect(xml).toContain(connection.saml.entity_id);
    const attributes = { email: [`ada@${acme.domain}`], displayName: ['Ada'], roles: ['admins'] };
    const answer = await post(acsOf(connection), {
      SAMLResponse: responseFor(connection, id, { attributes }),
      RelayState: 'https://evil.test',
    });
    expect(locationOf(answer)).toBe(`/sign-in/${flow.id}/finish`);
    const returned = new URL(locationOf(await browser.open(locationOf(answer))));
    const completed = await acme.completeTest(connection, flow, returned.searchParams.get('code')!);
    expect(expectStatus(200, completed).body.data).toMatchObject({
      status: 'tested',
      identity: {
        subject: 'ada-1',
        name: 'Ada',
        email: { address: `ada@${acme.domain}`, verified: false },
        groups: ['admins'],
      },
    });
    expect((await acme.call('POST', `/${connection.id}/activate`)).body.data.status).toBe('active');
    expect((await app.fetch('/metrics')).text).toMatch(/sso_responses_total\{[^}]*type="saml"[^}]*result="accepted"/);
  });

  it('takes each response once', async () => {
    const connection = await created();
    const { requestId } = await started(connection);
    const SAMLResponse = responseFor(connection, requestId);
    expect((await post(acsOf(connection), { SAMLResponse })).status).toBe(303);
    expect(codeOf(await post(acsOf(connection), { SAMLResponse }))).toEqual([401, 'sso_response_invalid']);
    expect((await acme.audit(connection.id)).at(-1)).toMatchObject({
      action: 'sso.response_refused',
      details: { reason: 'in_response_to_unknown', connection_id: connection.id },
    });
  });

  it('lets no other browser finish a sign-in', async () => {
    const connection = await created();
    const { requestId } = await started(connection);
    const finish = locationOf(await post(acsOf(connection), { SAMLResponse: responseFor(connection, requestId) }));
    expect((await new FakeBrowser(app).open(finish)).status).toBe(400);
  });

  it('takes no response that answers a sign-in at another connection of the same provider', async () => {
    const [one, another] = [await created(), await created()];
    const { requestId } = await started(one);
    const SAMLResponse = responseFor(another, requestId);
    expect(codeOf(await post(acsOf(another), { SAMLResponse }))).toEqual([401, 'sso_response_invalid']);
    expect(codeOf(await post(acsOf(one), { SAMLResponse }))).toEqual([401, 'sso_response_invalid']);
  });

  const forgeries: [string, string, SamlForgery, Partial<SamlSignIn>][] = [
    ['is not signed', 'assertion_not_signed', { sign: 'none' }, {}],
    ['comes from another issuer', 'wrong_issuer', { issuer: 'https://evil.test' }, {}],
    ['is for another recipient', 'wrong_recipient', { recipient: 'https://evil.test' }, {}],
    ['is for another service', 'wrong_audience', {}, { audience: 'https://other.test' }],
    ['was not asked for', 'unsolicited', {}, { inResponseTo: undefined }],
    [
      'names the person for a while alone',
      'transient_subject',
      {},
      {
        nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
      },
    ],
    ['has a document type', 'doctype_not_allowed', { after: (xml) => `<!DOCTYPE x>${xml}` }, {}],
  ];
  it.each(forgeries)(
    'refuses a response that %s, and says why in the audit log alone',
    async (_, reason, forge, changes) => {
      const connection = await created();
      const { requestId } = await started(connection);
      const SAMLResponse = responseFor(connection, requestId, { forge, ...changes });
      const answer = await post(acsOf(connection), { SAMLResponse });
      expect(codeOf(answer)).toEqual([401, 'sso_response_invalid']);
      expect(answer.text).not.toContain(reason);
      expect((await acme.audit(connection.id)).at(-1)).toMatchObject({
        action: 'sso.response_refused',
        details: { reason, connection_id: connection.id },
      });
      // The sign-in still waits for the answer of the provider.
      expect((await post(acsOf(connection), { SAMLResponse: responseFor(connection, requestId) })).status).toBe(303);
    },
  );

  it('refuses what another key has signed', async () => {
    const connection = await created();
    const { requestId } = await started(connection);
    const other = await FakeSamlIdp.create();
    const SAMLResponse = other.respond({
      acsUrl: connection.saml.acs_url,
      audience: connection.saml.entity_id,
      inResponseTo: requestId,
      nameId: 'ada',
      now: new Date(),
    });
    expect(codeOf(await post(acsOf(connection), { SAMLResponse }))).toEqual([401, 'sso_response_invalid']);
    expect((await app.fetch('/metrics')).text).toMatch(/sso_responses_total\{[^}]*type="saml"[^}]*result="forged"/);
  });

  it.each([
    ['nothing', {}, undefined],
    ['another type', { SAMLResponse: 'x' }, 'text/plain'],
    ['no base64', { SAMLResponse: '<x/>' }, undefined],
  ] as [string, Record<string, string>, string?][])('refuses %s', async (_, form, type) => {
    const connection = await created();
    expect(codeOf(await post(acsOf(connection), form, type))).toEqual([401, 'sso_response_invalid']);
  });

  it('reads 512 KiB at most', async () => {
    const connection = await created();
    expect(codeOf(await post(acsOf(connection), { SAMLResponse: 'x'.repeat(524_289) }))).toEqual([
      413,
      'payload_too_large',
    ]);
  });

  it('returns 404 for an unknown connection', async () => {
    const path = '/sign-in/sso/sso_00000000000000000000000000';
    expect(codeOf(await post(`${path}/acs`, { SAMLResponse: 'x' }))).toEqual([404, 'sso_connection_not_found']);
    expect(codeOf(await app.fetch(`${path}/metadata`))).toEqual([404, 'sso_connection_not_found']);
  });
});

describe('metadata of this service', () => {
  it('are public, and the same for administrators', async () => {
    const connection = await created();
    const answer = expectStatus(200, await app.fetch(new URL(connection.saml.metadata_url as string).pathname));
    expect(answer.headers.get('content-type')).toContain('application/samlmetadata+xml');
    expect(answer.text).toContain(`entityID="${connection.saml.entity_id}"`);
    expect(answer.text).toContain(`Location="${connection.saml.acs_url}"`);
    expect(answer.text).not.toContain('PRIVATE KEY');
    const own = expectStatus(200, await app.fetch(acme.path(`/${connection.id}/metadata`), as(owner)));
    expect(own.text).toBe(answer.text);
    expect(own.headers.get('content-type')).toContain('application/samlmetadata+xml');
  });

  it('differ from connection to connection', async () => {
    const texts = await Promise.all(
      [await created(), await created()].map(({ saml }) => app.fetch(new URL(saml.metadata_url as string).pathname)),
    );
    expect(texts[0]!.text).not.toBe(texts[1]!.text);
  });
});
