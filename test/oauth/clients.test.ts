import { HttpPeer } from '../support/http-peer.js';
import { CALLBACK, OAuthBrowser, OAuthFlow } from '../support/oauth.js';
import { randomAddress, TestApp, useApp } from '../support/test-app.js';

describe('registration of clients', () => {
  const app = useApp({ ANONYMOUS_CALLS_PER_SECOND: '1000' });
  const flow = new OAuthFlow(app);

  it('takes no row, and gives no secret', async () => {
    const answer = await app.post('/oauth/register', {
      client_name: 'Tool',
      redirect_uris: [CALLBACK, 'cursor://tool/callback'],
      token_endpoint_auth_method: 'client_secret_post',
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ client_name: 'Tool', token_endpoint_auth_method: 'none' });
    expect(answer.body).not.toHaveProperty('client_secret');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });

  it.each<[string, object]>([
    ['no redirect', { redirect_uris: [] }],
    ['too many', { redirect_uris: Array.from({ length: 11 }, (_, n) => `${CALLBACK}/${n}`) }],
    ['plain HTTP', { redirect_uris: ['http://client.example.com/cb'] }],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }],
    ['data', { redirect_uris: ['data:text/html,x'] }],
    ['a fragment', { redirect_uris: [`${CALLBACK}#x`] }],
    ['credentials', { redirect_uris: ['https://a:b@client.example.com/'] }],
    ['text that is no list', { redirect_uris: CALLBACK }],
    ['a list of numbers', { redirect_uris: [1] }],
    ['another grant', { grant_types: ['client_credentials'] }],
    ['another response', { response_types: ['token'] }],
    ['too much text', { redirect_uris: Array.from({ length: 9 }, (_, n) => `${CALLBACK}/${n}${'x'.repeat(400)}`) }],
  ])('refuses %s as RFC 7591 has it', async (_, metadata) => {
    const answer = await app.post('/oauth/register', { redirect_uris: [CALLBACK], ...metadata });
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_client_metadata']);
  });

  it('refuses bodies that are no object', async () => {
    for (const body of ['[]', '{', '"text"', '{"a":'.repeat(100)]) {
      const answer = await app.call('POST', '/oauth/register', {
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect(answer.status).toBe(400);
    }
  });

  it('is bounded by address', async () => {
    const from = randomAddress();
    const statuses: number[] = [];
    for (let n = 0; n < 22; n++)
      statuses.push((await app.post('/oauth/register', { redirect_uris: [CALLBACK] }, { from })).status);
    expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 201));
    expect(statuses.at(-1)).toBe(429);
  });

  it('is no client whose id was changed', async () => {
    const id = await flow.register();
    for (const changed of [`${id.slice(0, -2)}AA`, id.slice(0, -1), `reg_${'A'.repeat(100)}`, 'reg_', ''])
      expect((await new OAuthBrowser(app).get(flow.authorizeUrl({ clientId: changed }))).status).toBe(400);
  });
});

describe('metadata documents of clients', () => {
  const peer = new HttpPeer();
  const untrusted = new HttpPeer();
  let app: TestApp;
  let flow: OAuthFlow;

  beforeAll(async () => {
    await peer.listen();
    await untrusted.listen();
    app = new TestApp({ OAUTH_TRUSTED_CLIENT_HOSTS: peer.host, ANONYMOUS_CALLS_PER_SECOND: '1000' }, 'api');
    await app.start();
    flow = new OAuthFlow(app);
  });
  afterAll(async () => {
    await app.stop();
    peer.close();
    untrusted.close();
  });

  const statusFor = async (clientId: string): Promise<number> =>
    (await new OAuthBrowser(app).get(flow.authorizeUrl({ clientId }))).status;
  const serve = (path: string, document: (id: string) => unknown): string => {
    const id = peer.at(path);
    peer.handlers.set(path, (response) => {
      const body = document(id);
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    return id;
  };

  it('are fetched once while they are remembered', async () => {
    const id = serve('/good.json', (client_id) => ({ client_id, client_name: 'Good', redirect_uris: [CALLBACK] }));
    expect(await statusFor(id)).toBe(303);
    expect(await statusFor(id)).toBe(303);
    expect(peer.seen.filter(({ path }) => path === '/good.json')).toHaveLength(1);
  });

  it.each<[string, (id: string) => unknown]>([
    ['names another client', () => ({ client_id: 'https://claude.ai/client.json', redirect_uris: [CALLBACK] })],
    ['has a secret', (client_id) => ({ client_id, client_secret: 'x', redirect_uris: [CALLBACK] })],
    ['has no redirect', (client_id) => ({ client_id })],
    ['is no object', () => '[]'],
    ['is null', () => 'null'],
    ['is no JSON', () => '<html>'],
    ['is larger than 5 KB', (client_id) => ({ client_id, redirect_uris: [CALLBACK], more: 'x'.repeat(5_200) })],
  ])('describe no client when one %s', async (name, document) => {
    expect(await statusFor(serve(`/${encodeURIComponent(name)}.json`, document))).toBe(400);
  });

  it('are not followed to where they redirect', async () => {
    const target = serve('/target.json', () => ({ client_id: peer.at('/moved.json'), redirect_uris: [CALLBACK] }));
    peer.handlers.set('/moved.json', (response) => {
      response.statusCode = 302;
      response.setHeader('location', target);
      response.end();
    });
    expect(await statusFor(peer.at('/moved.json'))).toBe(400);
    expect(peer.seen.map(({ path }) => path)).not.toContain('/target.json');
  });

  it('reach no private address in any spelling', async () => {
    const port = untrusted.host.split(':')[1]!;
    const hosts = [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `127.1:${port}`,
      `2130706433:${port}`,
      `0x7f000001:${port}`,
      `0177.0.0.1:${port}`,
      `[::1]:${port}`,
      `[::ffff:127.0.0.1]:${port}`,
      `[::ffff:7f00:1]:${port}`,
      `127.0.0.1.:${port}`,
      `0.0.0.0:${port}`,
      `user@127.0.0.1:${port}`,
      '127.0.0.1',
      '169.254.169.254',
      '10.0.0.1',
      '192.168.0.1',
      '[fd00::1]',
      '[fe80::1]',
      'localhost',
      'LOCALHOST',
      'metadata.internal',
      'a.localhost',
      '①②⑦.0.0.1',
    ];
    for (const host of hosts)
      for (const scheme of ['https', 'http'])
        expect([host, await statusFor(`${scheme}://${host}/c.json`)]).toEqual([host, 400]);
    expect(untrusted.seen).toEqual([]);
    expect(untrusted.connections).toBe(0);
  });

  it('are asked for by no token request', async () => {
    const id = peer.at('/never.json');
    await flow.refresh('a-refresh-token', id);
    await flow.exchange('a-code', { client_id: id });
    expect(peer.seen.map(({ path }) => path)).not.toContain('/never.json');
  });
});

describe('OAUTH_CLIENT_HOSTS', () => {
  const app = useApp({ OAUTH_CLIENT_HOSTS: '*.example.com,localhost', ANONYMOUS_CALLS_PER_SECOND: '1000' }, 'api');

  it('narrows who can be a client', async () => {
    const outcome = async (uri: string): Promise<number> =>
      (await app.post('/oauth/register', { redirect_uris: [uri] })).status;
    expect(await outcome(CALLBACK)).toBe(201);
    expect(await outcome('http://localhost:1234/cb')).toBe(201);
    expect(await outcome('https://other.example/cb')).toBe(400);
    expect(await outcome('http://127.0.0.1:1234/cb')).toBe(400);
    expect(await outcome('https://example.com.evil.example/cb')).toBe(400);
  });
});
