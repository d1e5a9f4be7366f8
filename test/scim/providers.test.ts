import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeGoogle } from '../support/fake-google.js';
import { expectStatus, Make, uniqueName } from '../support/make.js';
import { type RecordedRequest, ScimClient } from '../support/scim.js';
import { type SsoTenant, SsoTenants } from '../support/sso.js';
import { useApp } from '../support/test-app.js';

const settings: NodeJS.ProcessEnv = {};
const provider = FakeGoogle.useForSso(settings);
const app = useApp(settings);
const make = new Make(app);
const tenants = new SsoTenants(app, make, provider);

const recorded = (name: string): RecordedRequest[] =>
  JSON.parse(readFileSync(join(__dirname, 'fixtures', `${name}.json`), 'utf8')) as RecordedRequest[];

let tenant: SsoTenant;
let scim: ScimClient;
beforeEach(async () => {
  tenant = await tenants.create();
  scim = await ScimClient.create(app, tenant.owner, tenant.org, tenant.connectionId);
});

describe('requests as providers send them', () => {
  it.each(['okta', 'entra'])('are answered as %s expects', async (name) => {
    const userName = `${uniqueName('bob')}@${tenant.domain}`;
    const known = { userName, upperUserName: userName.toUpperCase(), domain: tenant.domain };
    await scim.replay(recorded(name), known);
  });
});

describe('what is supported', () => {
  it('is in ServiceProviderConfig, ResourceTypes and Schemas', async () => {
    const config = expectStatus(200, await scim.call('GET', '/ServiceProviderConfig')).body;
    expect(config).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 100 },
      sort: { supported: false },
      etag: { supported: false },
      authenticationSchemes: [{ type: 'oauthbearertoken' }],
    });
    const types = expectStatus(200, await scim.call('GET', '/ResourceTypes')).body;
    expect(types.Resources.map(({ id, endpoint }: any) => [id, endpoint])).toEqual([
      ['User', '/Users'],
      ['Group', '/Groups'],
    ]);
    const schemas = expectStatus(200, await scim.call('GET', '/Schemas')).body;
    expect(schemas).toMatchObject({ totalResults: 2, Resources: [{ name: 'User' }, { name: 'Group' }] });
    for (const { id, meta } of [...types.Resources, ...schemas.Resources]) {
      const { pathname } = new URL(meta.location as string);
      const path = pathname.replace(`/scim/v2/${tenant.connectionId}`, '');
      expect(expectStatus(200, await scim.call('GET', path)).body.id).toBe(id);
    }
    const names = schemas.Resources[0].attributes.map(({ name }: any) => name);
    expect(names).toEqual(['userName', 'name', 'displayName', 'emails', 'active']);
    expectStatus(404, await scim.call('GET', '/Schemas/urn:other'));
  });

  it.each([
    ['POST', '/Bulk', 501],
    ['GET', '/Me', 501],
    ['POST', '/Users/.search', 501],
    ['GET', '/Users?sortBy=userName', 501],
    ['GET', '/Devices', 404],
    ['PUT', '/Users', 404],
    ['GET', '', 404],
  ])('%s %s is refused in the form of SCIM', async (method, path, status) => {
    const answer = await scim.call(method, path);
    expect([answer.status, answer.body]).toEqual([
      status,
      { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: `${status}`, detail: expect.any(String) },
    ]);
    expect(answer.headers.get('content-type')).toMatch(/^application\/scim\+json/);
  });
});
