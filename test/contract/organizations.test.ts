import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Account, client, signUpWithKey } from '../support/built-client.js';
import { type Ended, useCommandLine } from '../support/command-line.js';
import { Make } from '../support/make.js';
import { useApp } from '../support/test-app.js';

const { AuthorizationError, NotFoundError, Service, ValidationError } = client;
jest.setTimeout(60_000);
const ENTRIES = 3_000;

describe('the settings and the audit log of an organization', () => {
  const app = useApp({ ANONYMOUS_CALLS_PER_SECOND: '1000' }, 'api');
  const make = new Make(app);
  const command = useCommandLine(() => app.url);
  let account: Account;
  let service: InstanceType<typeof Service>;
  let org: string;

  beforeAll(async () => {
    account = await signUpWithKey(app.url);
    service = new Service({ apiKey: account.apiKey, baseUrl: app.url });
    org = (await service.orgs.create({ name: 'Acme', slug: `acme-${account.username}` })).id;
    await make.sql(
      `INSERT INTO audit_log (id, org_id, action, target_type, target_id, details, at)
        SELECT 'aud_7' || lpad(n::text, 25, '0'), $1, 'test.done', 'test', n::text, '{}', '2099-01-01Z'::timestamptz
          + n * interval '1 minute' FROM generate_series(1, $2::int) n`,
      [org, ENTRIES],
    );
  });

  const run = (args: readonly string[], organization = org): Promise<Ended> =>
    command.run([...args, '--org', organization], { env: { SERVICE_API_KEY: account.apiKey } });

  it('limit the lifetime of keys in the client library', async () => {
    expect(await service.orgs.update(org, { key_lifetime_days: 30 })).toMatchObject({ key_lifetime_days: 30 });
    const key = await service.keys.create({ name: 'x', kind: 'org_bound', org_id: org, preset: 'read_only' });
    expect(Date.parse(key.expires_at!) - Date.parse(key.created_at)).toBe(30 * 86_400_000);
    const longer = service.keys.create({
      name: 'x',
      kind: 'org_bound',
      org_id: org,
      preset: 'read_only',
      expires_in_days: 31,
    });
    await expect(longer).rejects.toBeInstanceOf(AuthorizationError);
    await expect(longer).rejects.toMatchObject({
      code: 'key_lifetime_exceeded',
      details: { key_lifetime_days: 30 },
    });
    expect(await service.orgs.update(org, { key_lifetime_days: null })).not.toHaveProperty('key_lifetime_days');
  });

  it('limit the lifetime of keys on the command line', async () => {
    expect((await run(['orgs', 'settings'])).stdout).toMatch(/longest lifetime of new keys +no limit/);
    const limited = await run(['orgs', 'settings', '--key-lifetime-days', '7']);
    expect(limited.stdout).toMatch(/longest lifetime of new keys +7 days/);
    expect(JSON.parse((await run(['--json', 'orgs', 'settings'])).stdout)).toMatchObject({ key_lifetime_days: 7 });
    const listed = (await run(['keys', 'list'])).stdout;
    expect(listed).toContain('never (longer than allowed)');
    const refused = await run(['keys', 'create', 'x', '--preset', 'read_only', '--expires-in-days', '8']);
    expect(refused).toMatchObject({ code: expect.not.stringMatching('0'), stdout: '' });
    expect(refused.stderr).toContain('allows keys 7 days at most');
    expect((await run(['orgs', 'settings', '--key-lifetime-days', 'none'])).stdout).toContain('no limit');
    expect((await run(['orgs', 'settings', '--key-lifetime-days', '1.5'])).code).toBe(2);
  });

  it('are exported by the client library as they arrive', async () => {
    const all = service.orgs.exportAuditLog(org, { from: '2099-01-01T00:00:00Z' });
    const seen: string[] = [];
    let step = await all.next();
    for (; step.done !== true; step = await all.next()) seen.push(step.value.target.id);
    expect(seen).toEqual(Array.from({ length: ENTRIES }, (_, index) => String(index + 1)));
    expect(step.value).toEqual({ entries: ENTRIES });

    const part = { from: '2099-01-01T00:10:00Z', to: '2099-01-01T00:12:00Z' };
    const ids: string[] = [];
    for await (const { target } of service.orgs.exportAuditLog(org, part)) ids.push(target.id);
    expect(ids).toEqual(['10', '11']);
    for await (const entry of service.orgs.exportAuditLog(org)) {
      expect(entry.action).toBe('org.created');
      break;
    }
  });

  it('refuse an export with the errors of the library', async () => {
    const first = (named: string, from?: string): Promise<unknown> =>
      service.orgs.exportAuditLog(named, { from }).next();
    await expect(first('org_00000000000000000000000000')).rejects.toBeInstanceOf(NotFoundError);
    await expect(first(org, 'yesterday')).rejects.toBeInstanceOf(ValidationError);
  });

  describe('from a connection that breaks', () => {
    let broken: Server;

    beforeAll(async () => {
      broken = createServer((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/x-ndjson' });
        response.end('\n{"id":"aud_1"}\n');
      });
      await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve));
    });
    afterAll(() => broken.close());

    it('are not taken for whole', async () => {
      const baseUrl = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
      const entries = new Service({ apiKey: account.apiKey, baseUrl }).orgs.exportAuditLog(org);
      expect(await entries.next()).toMatchObject({ value: { id: 'aud_1' } });
      await expect(entries.next()).rejects.toBeInstanceOf(TypeError);
      const ended = await command.run(['audit-log', 'export', '--org', org, '--url', baseUrl], {
        env: { SERVICE_API_KEY: account.apiKey },
      });
      expect(ended).toMatchObject({ stdout: '{"id":"aud_1"}\n' });
      expect(ended.code).not.toBe(0);
    });
  });

  it('are exported by the command line', async () => {
    const { code, stdout, stderr } = await run(['audit-log', 'export', '--from', '2099-01-01T00:00:00Z']);
    const lines = stdout.trimEnd().split('\n');
    expect([code, lines.length, stderr]).toEqual([0, ENTRIES, `${ENTRIES} entries.\n`]);
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ target: { id: String(ENTRIES) } });
    const part = await run(['audit-log', 'export', '--from', '2099-01-01T00:10:00Z', '--to', '2099-01-01T00:11:00Z']);
    expect(part).toMatchObject({ code: 0, stderr: '1 entry.\n' });
    expect((await run(['audit-log', 'export', '--from', 'yesterday'])).code).toBe(6);
    expect((await run(['audit-log', 'export'], 'no-such-organization')).code).not.toBe(0);
  });
});
