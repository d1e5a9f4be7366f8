import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OrgEvents } from '../../src/modules/events/org-events.js';
import { HostAddresses } from '../../src/platform/egress/host-addresses.js';
import { Database } from '../../src/platform/database/database.js';
import { client } from '../support/built-client.js';
import { as, expectStatus, Make, type Org, type Person, send } from '../support/make.js';
import { mailsOf } from '../support/mailbox.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';

const SOON_MS = 30_000;
const outcomeOf = (answer: Answer): string => `${answer.status} ${answer.body?.error?.code ?? ''}`.trim();

interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

describe('webhooks', () => {
  const environment: NodeJS.ProcessEnv = {};
  const received: Received[] = [];
  /** What the receiver answers, by path; 200 by default. `hang` never answers. */
  const answers = new Map<string, number | 'hang'>();
  let receiver: Server;
  let base: string;
  beforeAll(async () => {
    receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => {
        body += part.toString();
      });
      request.on('end', () => {
        const path = request.url!;
        received.push({ path, headers: request.headers, body });
        const answer = answers.get(path) ?? 200;
        if (answer === 'hang') return;
        response.writeHead(answer, answer === 302 ? { location: '/redirected' } : {}).end('an answer');
      });
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    base = `http://127.0.0.1:${port}`;
    environment['WEBHOOK_TRUSTED_HOSTS'] = `127.0.0.1:${port}`;
  });
  const app = useApp(environment);
  const make = new Make(app);
  let owner: Person;
  let org: Org;
  let key: string;
  let endpoints: string;

  beforeAll(async () => {
    owner = await make.person();
    org = await make.org(owner, { plan: 'builder' });
    key = await make.key(owner);
    endpoints = `/api/v1/orgs/${org.slug}/webhook-endpoints`;
  });
  // An organization can have ten.
  afterEach(() => make.sql('DELETE FROM webhook_endpoints WHERE org_id = $1', [org.id]));
  afterAll(() => {
    receiver.closeAllConnections();
    receiver.close();
  });

  let paths = 0;
  const endpoint = async (input: object = {}): Promise<{ id: string; secret: string; path: string }> => {
    const path = `/hook-${++paths}`;
    const { data } = expectStatus(201, await app.post(endpoints, { url: base + path, ...input }, as(key))).body;
    return { id: data.id, secret: data.secret, path };
  };
  const publish = (name: string): Promise<void> =>
    app
      .get(Database)
      .transaction(() => app.get(OrgEvents).publish({ orgId: org.id, type: 'deploy.ready', data: { name } }));
  const at = (path: string): Received[] => received.filter((each) => each.path === path);
  const arrived = async (path: string, count = 1): Promise<Received> => {
    await eventually(() => at(path).length >= count, `message ${count} at ${path}`, SOON_MS);
    return at(path)[count - 1]!;
  };
  const deliveriesOf = async (id: string): Promise<any[]> =>
    expectStatus(200, await app.fetch(`${endpoints}/${id}/deliveries`, as(key))).body.data as any[];
  const shown = async (id: string): Promise<any> =>
    expectStatus(200, await app.fetch(`${endpoints}/${id}`, as(key))).body.data;
  /** Makes what waits for the endpoint due at once. */
  const hurry = (id: string): Promise<unknown> =>
    make.sql("UPDATE webhook_deliveries SET next_at = now() WHERE endpoint_id = $1 AND state = 'pending'", [id]);
  /** Standard Webhooks, without any code of the service or of its client. */
  const sign = (secret: string, { headers, body }: Received): string => {
    const bytes = Buffer.from(secret.replace('whsec_', ''), 'base64');
    const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
    return `v1,${createHmac('sha256', bytes).update(content).digest('base64')}`;
  };

  it('send the events that an endpoint wants, signed as Standard Webhooks describes it', async () => {
    const wanting = await endpoint({ types: ['deploy.ready'] });
    const other = await endpoint({ types: ['invoice.paid'] });
    await publish('first');
    const message = await arrived(wanting.path);
    expect(message.headers['webhook-signature']).toBe(sign(wanting.secret, message));
    const verified = await client.verifyWebhook({ ...message, secret: wanting.secret });
    expect(verified).toMatchObject({ type: 'deploy.ready', org_id: org.id, data: { name: 'first' } });
    expect(verified.id).toBe(message.headers['webhook-id']);
    const [delivery] = await deliveriesOf(wanting.id);
    expect(delivery).toMatchObject({ event_id: verified.id, type: 'deploy.ready', attempts: 1, body: message.body });
    expect([await deliveriesOf(other.id), at(other.path)]).toEqual([[], []]);
  });

  it('are refused by the helper when anything differs', async () => {
    const { secret, path } = await endpoint();
    await publish('verified');
    const { headers, body } = await arrived(path);
    const refused = async (change: object): Promise<boolean> =>
      client.verifyWebhook({ secret, headers, body, ...change }).then(
        () => false,
        (error: unknown) => error instanceof client.WebhookVerificationError,
      );
    expect(await refused({})).toBe(false);
    expect(
      await refused({
        headers: new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      }),
    ).toBe(false);
    expect(await refused({ body: `${body} ` })).toBe(true);
    expect(await refused({ secret: 'whsec_AAAA' })).toBe(true);
    expect(await refused({ headers: { ...headers, 'webhook-id': 'evt_x' } })).toBe(true);
    expect(await refused({ headers: { ...headers, 'webhook-signature': undefined } })).toBe(true);
    expect(await refused({ headers: { ...headers, 'webhook-signature': 'v1,!' } })).toBe(true);
    expect(await refused({ toleranceSeconds: -1 })).toBe(true);
  });

  it('are tried again with the same id, until one attempt succeeds', async () => {
    const { id, path } = await endpoint();
    answers.set(path, 500);
    await publish('retried');
    const first = await arrived(path);
    await eventually(async () => (await deliveriesOf(id))[0]?.status === 500, 'the attempt is recorded', SOON_MS);
    expect((await deliveriesOf(id))[0]).toMatchObject({ state: 'pending', error: 'bad_status', response: 'an answer' });
    expect((await shown(id)).failing_since).toBeDefined();
    answers.delete(path);
    await hurry(id);
    const second = await arrived(path, 2);
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    await eventually(async () => (await deliveriesOf(id))[0]?.state === 'succeeded', 'it succeeded', SOON_MS);
    expect(await shown(id)).not.toHaveProperty('failing_since');
  });

  it('do not follow redirects', async () => {
    const { id, path } = await endpoint();
    answers.set(path, 302);
    await publish('redirected');
    await eventually(async () => (await deliveriesOf(id))[0]?.status === 302, 'the answer is recorded', SOON_MS);
    expect([(await deliveriesOf(id))[0].state, at('/redirected')]).toEqual(['pending', []]);
  });

  it('can be replayed and tested, but not to a paused endpoint', async () => {
    const { id, path, secret } = await endpoint({ types: ['invoice.paid'] });
    const tested = expectStatus(202, await app.call('POST', `${endpoints}/${id}/test`, as(key))).body.data;
    const message = await arrived(path);
    expect(JSON.parse(message.body)).toMatchObject({ type: 'webhook_endpoint.test' });
    await client.verifyWebhook({ ...message, secret });
    const replayPath = `${endpoints}/${id}/deliveries/${tested.id}/replay`;
    const replay = expectStatus(202, await app.call('POST', replayPath, as(key))).body.data;
    expect(replay).toMatchObject({ replay_of: tested.id, event_id: tested.event_id });
    expect((await arrived(path, 2)).headers['webhook-id']).toBe(message.headers['webhook-id']);
    expectStatus(200, await send(app, ['PATCH', `${endpoints}/${id}`], { state: 'paused' }, as(key)));
    expect(outcomeOf(await app.call('POST', replayPath, as(key)))).toBe('409 webhook_endpoint_paused');
    expect(outcomeOf(await app.call('POST', `${endpoints}/${id}/test`, as(key)))).toBe('409 webhook_endpoint_paused');
    expectStatus(200, await send(app, ['PATCH', `${endpoints}/${id}`], { state: 'active' }, as(key)));
    expectStatus(202, await app.call('POST', replayPath, as(key)));
    await arrived(path, 3);
  });

  it('send the audit log only to endpoints that name it, as its export has it', async () => {
    const named = await endpoint({ types: ['audit_log.recorded', 'deploy.ready'] });
    const all = await endpoint();
    const other = await endpoint({ types: ['invoice.paid'] });
    const path = `/api/v1/orgs/${org.id}`;
    expectStatus(200, await send(app, ['PATCH', path], { name: 'Followed' }, as(key, { from: '198.18.44.7' })));
    const isRename = ({ body }: Received): boolean => body.includes('"Followed"');
    await eventually(() => at(named.path).some(isRename), 'the entry is sent', SOON_MS);
    const message = at(named.path).find(isRename)!;
    const verified = await client.verifyWebhook({ ...message, secret: named.secret });
    const { data: log } = expectStatus(200, await app.fetch(`${path}/audit-log`, as(key))).body;
    const entry = log.find(({ action }: any) => action === 'org.renamed');
    expect(verified).toEqual({
      id: entry.id,
      type: 'audit_log.recorded',
      timestamp: entry.at,
      org_id: org.id,
      data: entry,
    });
    expect(entry).toMatchObject({ ip: '198.18.44.7', actor: { username: owner.user.username } });

    // Later events of other kinds arrive everywhere else, and no entry does.
    await publish('after the entry');
    await arrived(all.path);
    await eventually(() => at(named.path).some(({ body }) => body.includes('after the entry')), 'it is sent', SOON_MS);
    expect([...at(all.path), ...at(other.path)].filter(({ body }) => body.includes('audit_log'))).toEqual([]);
    const { data } = expectStatus(200, await app.fetch(endpoints, as(key))).body;
    expect(data.find(({ id }: any) => id === all.id).types).toEqual([]);
  });

  it('need audit:read where the audit log is sent, and is read again', async () => {
    const { id } = await endpoint({ types: ['audit_log.recorded'] });
    const narrow = await make.key(owner, { scopes: ['orgs:write'], kind: 'org_bound', org_id: org.id });
    const both = await make.key(owner, { scopes: ['orgs:write', 'audit:read'], kind: 'org_bound', org_id: org.id });
    const input = { url: `${base}/narrow`, types: ['audit_log.recorded'] };
    const plain = await endpoint();
    const calls = (by: string): Promise<Answer>[] => [
      app.post(endpoints, input, as(by)),
      send(app, ['PATCH', `${endpoints}/${plain.id}`], { types: input.types }, as(by)),
      send(app, ['PATCH', `${endpoints}/${id}`], { url: `${base}/elsewhere` }, as(by)),
      app.fetch(`${endpoints}/${id}/deliveries`, as(by)),
    ];
    const outcomes = async (by: string): Promise<string[]> => (await Promise.all(calls(by))).map(outcomeOf);
    expect(await outcomes(narrow)).toEqual(Array(4).fill('403 insufficient_scopes'));
    expectStatus(200, await app.fetch(`${endpoints}/${plain.id}/deliveries`, as(narrow)));
    expect(await outcomes(both)).toEqual(['201', '200', '200', '200']);
    expect(outcomeOf(await app.post(endpoints, { ...input, types: ['audit_log.read'] }, as(both)))).toBe(
      '400 invalid_request',
    );
  });

  it('are signed with the old and the new secret for a while after a rotation', async () => {
    const { id, path, secret } = await endpoint();
    const rotated = await app.post(`${endpoints}/${id}/rotate-secret`, { grace_seconds: 3_600 }, as(key));
    const renewed = expectStatus(200, rotated).body.data.secret as string;
    await publish('rotated');
    const both = await arrived(path);
    expect(both.headers['webhook-signature']).toBe(`${sign(renewed, both)} ${sign(secret, both)}`);
    for (const each of [secret, renewed]) await client.verifyWebhook({ ...both, secret: each });
    await make.sql("UPDATE webhook_endpoints SET previous_until = now() - interval '1 second' WHERE id = $1", [id]);
    await publish('after');
    const after = await arrived(path, 2);
    expect(after.headers['webhook-signature']).toBe(sign(renewed, after));
  });

  it('pause an endpoint that has failed for a day, with a mail and an event', async () => {
    const watcher = await endpoint({ types: ['webhook_endpoint.paused'] });
    const { id, path } = await endpoint({ types: ['deploy.ready'] });
    answers.set(path, 500);
    await publish('hopeless');
    await eventually(async () => (await deliveriesOf(id))[0]?.status === 500, 'it failed once', SOON_MS);
    await make.sql("UPDATE webhook_endpoints SET failing_since = now() - interval '24 hours' WHERE id = $1", [id]);
    await make.sql('UPDATE webhook_deliveries SET attempts = 7 WHERE endpoint_id = $1', [id]);
    await hurry(id);
    await eventually(async () => (await shown(id)).state === 'paused', 'it is paused', SOON_MS);
    expect((await shown(id)).pause_reason).toBe('failing');
    expect((await deliveriesOf(id))[0]).toMatchObject({ state: 'failed', attempts: 8 });
    expect(JSON.parse((await arrived(watcher.path)).body).data).toEqual({ webhook_endpoint_id: id, reason: 'failing' });
    await eventually(
      () => mailsOf(app).some(({ to, subject }) => to === owner.user.email && subject.includes('was paused')),
      'the mail',
      SOON_MS,
    );
  });

  it('pause an endpoint that is gone', async () => {
    const { id, path } = await endpoint({ types: ['deploy.ready'] });
    answers.set(path, 410);
    await publish('gone');
    await eventually(async () => (await shown(id)).pause_reason === 'gone', 'it is paused', SOON_MS);
  });

  it('go out to other endpoints while one does not answer', async () => {
    const slow = await endpoint();
    answers.set(slow.path, 'hang');
    for (let index = 0; index < 5; index++) await publish(`slow ${index}`);
    await arrived(slow.path, 2);
    const outsider = await make.person();
    const theirs = await make.key(outsider);
    const url = `${base}/of-another`;
    const created = await app.post(`/api/v1/orgs/${outsider.organization.id}/webhook-endpoints`, { url }, as(theirs));
    const { id } = expectStatus(201, created).body.data;
    const testPath = `/api/v1/orgs/${outsider.organization.id}/webhook-endpoints/${String(id)}/test`;
    expectStatus(202, await app.call('POST', testPath, as(theirs)));
    await arrived('/of-another');
    // Two at once of one endpoint: the rest waits until these have timed out.
    expect(at(slow.path).length).toBeLessThanOrEqual(2);
    expectStatus(204, await app.call('DELETE', `${endpoints}/${slow.id}`, as(key)));
  });

  it('never reach a private address, also when a name changes its address', async () => {
    for (const url of ['https://127.0.0.1/', 'https://localhost/', 'http://example.com/', 'https://10.0.0.1/x', 'x'])
      expect([url, outcomeOf(await app.post(endpoints, { url }, as(key)))]).toEqual([url, '400 invalid_request']);
    const lookup = jest.spyOn(app.get(HostAddresses), 'of').mockResolvedValue(['203.0.113.1', '127.0.0.1']);
    try {
      const { id } = await endpoint({ url: 'https://rebinding.example.com/', types: ['invoice.paid'] });
      expectStatus(202, await app.call('POST', `${endpoints}/${id}/test`, as(key)));
      await eventually(
        async () => (await deliveriesOf(id))[0]?.error === 'private_address',
        'the attempt is refused',
        SOON_MS,
      );
      expect(lookup).toHaveBeenCalledTimes(1);
      expectStatus(204, await app.call('DELETE', `${endpoints}/${id}`, as(key)));
    } finally {
      lookup.mockRestore();
    }
  });

  it('have endpoints that are listed, changed and deleted, without their secrets', async () => {
    const { id, secret } = await endpoint({ description: 'Chat' });
    const changed = await send(app, ['PATCH', `${endpoints}/${id}`], { types: ['deploy.error'] }, as(key));
    expect(expectStatus(200, changed).body.data).toMatchObject({ types: ['deploy.error'], description: 'Chat' });
    const list = expectStatus(200, await app.fetch(endpoints, as(key)));
    expect(list.body.data[0]).toMatchObject({ id, state: 'active' });
    expect(list.text).not.toContain('whsec_');
    const rows = JSON.stringify(await make.sql("SELECT encode(secret, 'escape') AS text FROM webhook_endpoints"));
    expect(rows).not.toContain(secret);
    expectStatus(204, await app.call('DELETE', `${endpoints}/${id}`, as(key)));
    expect(outcomeOf(await app.fetch(`${endpoints}/${id}`, as(key)))).toBe('404 webhook_endpoint_not_found');
    const actions = (
      await make.sql<{ action: string }>('SELECT action FROM audit_log WHERE target_id = $1 ORDER BY id', [id])
    ).map(({ action }) => action);
    expect(actions).toEqual(['webhook_endpoint.created', 'webhook_endpoint.updated', 'webhook_endpoint.deleted']);
  });

  it('refuse bad input, callers without rights, and other tenants', async () => {
    const { id } = await endpoint();
    for (const body of [{}, { url: 5 }, { url: `${base}/x`, types: ['nothing'] }, { url: `${base}/x`, more: 1 }])
      expect(outcomeOf(await app.post(endpoints, body, as(key)))).toBe('400 invalid_request');
    const bad = await app.post(`${endpoints}/${id}/rotate-secret`, { grace_seconds: -1 }, as(key));
    expect(outcomeOf(bad)).toBe('400 invalid_request');
    expect(outcomeOf(await app.fetch(endpoints))).toBe('401 missing_api_key');
    const narrow = await make.key(owner, { scopes: ['orgs:read'] });
    expect(outcomeOf(await app.fetch(endpoints, as(narrow)))).toBe('403 insufficient_scopes');
    const member = await make.person();
    await make.member(org, member, 'member');
    expect(outcomeOf(await app.fetch(endpoints, as(await make.key(member))))).toBe('403 insufficient_scopes');
    const outsider = await make.person();
    const theirs = await make.key(outsider);
    expect(outcomeOf(await app.fetch(`${endpoints}/${id}`, as(theirs)))).toBe('404 organization_not_found');
    const elsewhere = `/api/v1/orgs/${outsider.organization.id}/webhook-endpoints/${id}`;
    expect(outcomeOf(await app.fetch(elsewhere, as(theirs)))).toBe('404 webhook_endpoint_not_found');
    expect(outcomeOf(await app.call('DELETE', elsewhere, as(theirs)))).toBe('404 webhook_endpoint_not_found');
    const absent = `${endpoints}/${id}/deliveries/whd_00000000000000000000000000`;
    expect(outcomeOf(await app.fetch(absent, as(key)))).toBe('404 webhook_delivery_not_found');
    expect(outcomeOf(await app.call('POST', `${absent}/replay`, as(key)))).toBe('404 webhook_delivery_not_found');
  });

  it('have at most ten endpoints an organization', async () => {
    const person = await make.person();
    const theirs = await make.key(person);
    const path = `/api/v1/orgs/${person.organization.id}/webhook-endpoints`;
    for (let count = 0; count < 10; count++) expectStatus(201, await app.post(path, { url: `${base}/x` }, as(theirs)));
    expect(outcomeOf(await app.post(path, { url: `${base}/x` }, as(theirs)))).toBe('400 invalid_request');
  });

  it('have a log that is forgotten after seven days', async () => {
    const { id, path } = await endpoint();
    await publish('old');
    await arrived(path);
    await make.sql("UPDATE webhook_deliveries SET created_at = now() - interval '8 days' WHERE endpoint_id = $1", [id]);
    await app.runSchedule('old-webhook-deliveries');
    expect(await deliveriesOf(id)).toEqual([]);
  });
});
