import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mailsOf, mailTo } from '../support/mailbox.js';
import { Make, type Person } from '../support/make.js';
import { FakeSamlIdp } from '../support/saml-idp.js';
import { ConnectionTenant } from '../support/connection-tenant.js';
import { useApp } from '../support/test-app.js';

jest.setTimeout(60_000);

const DAY_MS = 86_400_000;
const settings: NodeJS.ProcessEnv = {};
/** What the provider shows at its metadata URL. */
let shown: { status: number; body: string; location?: string };
const server = createServer((_, response) => {
  response.writeHead(shown.status, shown.location === undefined ? {} : { location: shown.location }).end(shown.body);
});
const urlOf = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/metadata`;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  settings['SSO_ALLOWED_HOSTS'] = new URL(urlOf()).host;
});
afterAll(() => {
  server.close();
});
const app = useApp(settings);
const make = new Make(app);

let idp: FakeSamlIdp;
let owner: Person;
let acme: ConnectionTenant;
let connection: any;
beforeEach(async () => {
  idp = await FakeSamlIdp.create();
  shown = { status: 200, body: idp.metadata() };
  owner = await make.person();
  acme = await ConnectionTenant.create(app, make, { owner });
  connection = await acme.saml({ metadata_url: urlOf() });
  await make.sql(
    `UPDATE sso_connections SET status = 'active', tested_at = now(), activated_at = now() WHERE id = $1`,
    [connection.id],
  );
});

const nextDay = async (): Promise<any> => {
  await make.sql(`UPDATE sso_connections SET metadata_read_at = now() - interval '25 hours' WHERE id = $1`, [
    connection.id,
  ]);
  await app.runSchedule('sso-metadata');
  return (await acme.call('GET', `/${connection.id}`)).body.data;
};
const fingerprints = (view: any): string[] => view.saml.idp.certificates.map(({ sha256 }: any) => sha256 as string);

describe('a metadata URL', () => {
  it('is read when the connection is created, without redirects', async () => {
    expect(connection.saml.idp).toMatchObject({ metadata_url: urlOf(), entity_id: idp.entityId, sso_url: idp.ssoUrl });
    for (const answer of [
      { status: 302, body: '', location: urlOf() },
      { status: 500, body: idp.metadata() },
      { status: 200, body: 'x'.repeat(300_000) },
      { status: 200, body: '<x/>' },
    ]) {
      shown = answer;
      const refused = await acme.call('POST', '', { name: 'x', type: 'saml', saml: { metadata_url: urlOf() } });
      expect([refused.status, refused.body.error.details[0].path]).toEqual([400, 'saml.metadata_url']);
    }
  });

  it('is read again each day, and gives new certificates to an active connection', async () => {
    const before = idp.certificate;
    await idp.rotate();
    shown.body = idp.metadata([before, idp.certificate]);
    const after = await nextDay();
    expect(after.status).toBe('active');
    expect(fingerprints(after)).toHaveLength(2);
    expect((await acme.audit(connection.id)).at(-1)!.action).toBe('sso_connection.certificates_changed');
    const entries = (await acme.audit(connection.id)).length;
    await nextDay();
    expect(await acme.audit(connection.id)).toHaveLength(entries);
  });

  it('never leads to another provider: the old one is kept, and owners are notified once', async () => {
    const other = await FakeSamlIdp.create('https://evil.test/saml');
    shown.body = other.metadata();
    const after = await nextDay();
    await nextDay();
    expect(after.saml.idp).toMatchObject({ entity_id: idp.entityId, metadata_problem: 'other_provider' });
    expect(fingerprints(after)).toEqual(fingerprints(connection));
    await mailTo(app, owner.user.email, 'shows other metadata');
    shown.body = idp.metadata();
    expect((await nextDay()).saml.idp).not.toHaveProperty('metadata_problem');
    expect(
      mailsOf(app).filter(({ to, subject }) => to === owner.user.email && subject.includes('metadata')),
    ).toHaveLength(1);
  });

  it('that is unreadable changes nothing', async () => {
    shown = { status: 503, body: '' };
    const after = await nextDay();
    expect(after.saml.idp).toMatchObject({ metadata_problem: 'unreadable', entity_id: idp.entityId });
    expect(fingerprints(after)).toEqual(fingerprints(connection));
  });
});

describe('a certificate that expires', () => {
  const ends = async (days: number): Promise<void> => {
    await make.sql('UPDATE sso_connections SET certificates_end = $2 WHERE id = $1', [
      connection.id,
      new Date(Date.now() + days * DAY_MS),
    ]);
    await app.runSchedule('sso-certificates');
  };
  const notices = async (): Promise<number | null> =>
    (await make.sql('SELECT expiry_notice FROM sso_connections WHERE id = $1', [connection.id]))[0]!['expiry_notice'];

  it('is reported to owners 30 and 7 days before, once each', async () => {
    await ends(31);
    expect(await notices()).toBeNull();
    await ends(29);
    await ends(28);
    expect(await notices()).toBe(30);
    await mailTo(app, owner.user.email, 'expires soon');
    await ends(6);
    await ends(5);
    expect(await notices()).toBe(7);
    const { text } = await mailTo(app, owner.user.email, 'expires soon', 2);
    expect(text).toContain('nobody can sign in through it');
    expect(mailsOf(app).filter(({ to, subject }) => to === owner.user.email && subject.includes('soon'))).toHaveLength(
      2,
    );
  });

  it('is reported again for another certificate, and not for a connection that is not active', async () => {
    await ends(5);
    expect(await notices()).toBe(7);
    await idp.rotate();
    shown.body = idp.metadata();
    await nextDay();
    expect(await notices()).toBeNull();
    await make.sql(`UPDATE sso_connections SET status = 'draft', tested_at = NULL WHERE id = $1`, [connection.id]);
    await ends(5);
    expect(await notices()).toBeNull();
  });

  it('is in the metrics', async () => {
    await ends(3);
    const [, seconds] = /^sso_certificate_expires_seconds(?:\{[^}]*\})? (\S+)$/m.exec(
      (await app.fetch('/metrics')).text,
    )!;
    expect(Number(seconds)).toBeGreaterThan(2 * 86_400);
    expect(Number(seconds)).toBeLessThan(4 * 86_400);
  });
});
