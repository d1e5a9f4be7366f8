import { gzipSync } from 'node:zlib';
import { HttpPeer } from '../../support/http-peer.js';
import { Make, type Org, type Person } from '../../support/make.js';
import { useApp } from '../../support/test-app.js';
import { ToolCaller } from '../../support/tool-caller.js';

describe('the HTTP tools of agents', () => {
  const environment: NodeJS.ProcessEnv = {};
  const peer = new HttpPeer();
  const other = new HttpPeer();
  /** Not trusted: it stands for what is inside of the network. */
  const inner = new HttpPeer();
  beforeAll(async () => {
    await Promise.all([peer, other, inner].map((each) => each.listen()));
    environment['AGENT_TRUSTED_HOSTS'] = `${peer.host},${other.host}`;
  });
  const app = useApp(environment);
  let person: Person;
  let org: Org;
  let caller: ToolCaller;
  beforeAll(async () => {
    const make = new Make(app);
    person = await make.person();
    org = await make.org(person);
    caller = new ToolCaller(app, org, person);
  });
  beforeEach(() => {
    peer.seen.length = 0;
    other.seen.length = 0;
  });
  afterAll(() => {
    expect(inner.connections).toBe(0);
    for (const each of [peer, other, inner]) each.close();
  });
  const answer = (path: string, body: string | Buffer, headers: Record<string, string>, status = 200): void => {
    peer.handlers.set(path, (response) => response.writeHead(status, headers).end(body));
  };

  describe('http_get', () => {
    it('returns the readable text of a page, its status and chosen headers', async () => {
      const html =
        '<html><head><title>T</title></head><body><h1>News</h1><script>x()</script><p>Text</p></body></html>';
      answer('/page', gzipSync(html), {
        'content-type': 'text/html; charset=utf-8',
        'content-encoding': 'gzip',
        'x-ratelimit-remaining': '3',
        'set-cookie': 'a=b',
      });
      expect(await caller.output('http_get', { url: peer.at('/page') })).toEqual({
        status: 200,
        url: peer.at('/page'),
        headers: { 'content-type': 'text/html; charset=utf-8', 'x-ratelimit-remaining': '3' },
        content_type: 'text/html; charset=utf-8',
        text: 'News\nText',
        truncated: false,
      });
      const [tool] = await caller.tools('http_get');
      expect(tool).toMatchObject({ effect: 'read', taints: true, isOutward: false });
    });

    it('keeps 256 KiB of text and says that there is more', async () => {
      answer('/long', 'ü'.repeat(400_000), { 'content-type': 'text/plain' });
      const { text, truncated } = await caller.output('http_get', { url: peer.at('/long') });
      expect(truncated).toBe(true);
      expect(Buffer.byteLength(text as string)).toBe(262_144);
      expect(text).toMatch(/^ü+$/);
    });

    it('shows JSON as it is, other charsets, and no binary', async () => {
      answer('/json', '{"a":"<p>"}', { 'content-type': 'application/problem+json' });
      answer('/latin', Buffer.from([0xfc]), { 'content-type': 'text/plain; charset=iso-8859-1' });
      answer('/image', Buffer.alloc(10), { 'content-type': 'image/png' });
      answer('/nul', 'a\0b', { 'content-type': 'text/plain' });
      const textOf = async (path: string): Promise<unknown> => caller.output('http_get', { url: peer.at(path) });
      expect(await textOf('/json')).toMatchObject({ text: '{"a":"<p>"}' });
      expect(await textOf('/latin')).toMatchObject({ text: 'ü' });
      expect(await textOf('/nul')).toMatchObject({ text: 'a\ufffdb' });
      const image = await textOf('/image');
      expect(image).toMatchObject({ note: 'The body is binary and has 10 bytes.' });
      expect(image).not.toHaveProperty('text');
    });

    it('reports what a server answers, and what goes wrong', async () => {
      answer('/missing', 'nothing here', { 'content-type': 'text/plain' }, 404);
      expect(await caller.output('http_get', { url: peer.at('/missing') })).toMatchObject({ status: 404 });
      const failing = async (url: string, hosts?: string[]): Promise<unknown> =>
        caller.call('http_get', { url }, { settings: hosts === undefined ? {} : { hosts } });
      for (const url of ['http://127.0.0.1/', inner.at('/'), 'http://169.254.169.254/', 'https://localhost/'])
        expect(await failing(url)).toMatchObject({ kind: 'failed', code: 'refused_url' });
      expect(await failing(peer.at('/'), [other.host])).toMatchObject({ kind: 'failed', code: 'refused_url' });
      answer('/inside', '', { location: inner.at('/') }, 302);
      expect(await failing(peer.at('/inside'))).toMatchObject({ kind: 'failed', code: 'refused_url' });
    });

    it('sends secrets in headers, to the first host alone', async () => {
      answer('/to', '', { location: other.at('/') }, 302);
      const settings = {
        hosts: [peer.host, other.host],
        headers: { 'X-Key': 'Bearer {{secret:API_KEY}}', 'x-plain': 'a' },
      };
      const call = { settings, secrets: { API_KEY: 's3cr3t' } };
      await caller.output('http_get', { url: peer.at('/to') }, call);
      expect(peer.seen[0]!.headers).toMatchObject({ 'x-key': 'Bearer s3cr3t', 'x-plain': 'a' });
      expect(other.seen[0]!.headers).not.toHaveProperty('x-key');
      const missing = await caller.call('http_get', { url: peer.at('/') }, { settings });
      expect(missing).toMatchObject({ kind: 'failed', code: 'secret_missing' });
      const broken = { settings, secrets: { API_KEY: 'a\r\nx-injected: b' } };
      expect(await caller.call('http_get', { url: peer.at('/') }, broken)).toMatchObject({ code: 'secret_missing' });
    });

    it('ends when its run ends', async () => {
      const leaving = new AbortController();
      peer.handlers.set('/hang', () => {
        leaving.abort(new Error('The run ended.'));
      });
      await expect(caller.call('http_get', { url: peer.at('/hang') }, { signal: leaving.signal })).rejects.toThrow(
        'The run ended.',
      );
    });
  });

  describe('http_request', () => {
    const settings = (): object => ({ hosts: [peer.host], headers: { authorization: 'Bearer {{secret:TOKEN}}' } });
    const send = async (input: object): Promise<unknown> =>
      caller.call(
        'http_request',
        { method: 'POST', ...input },
        { settings: settings() as Record<string, unknown>, secrets: { TOKEN: 'abc' } },
      );

    it('sends a request with credentials and a key of the effect', async () => {
      answer('/made', '{"id":1}', { 'content-type': 'application/json', location: '/made/1' }, 201);
      const headers = { 'Content-Type': 'application/json', Authorization: 'Bearer of the model' };
      expect(await send({ url: peer.at('/made'), headers, body: '{"a":1}' })).toMatchObject({
        kind: 'succeeded',
        output: { status: 201, text: '{"id":1}', headers: { location: '/made/1' } },
      });
      expect(peer.seen).toMatchObject([{ method: 'POST', body: '{"a":1}', headers: { authorization: 'Bearer abc' } }]);
      expect(peer.seen[0]!.headers['idempotency-key']).toMatch(/^[0-9a-f]{64}$/);
      const [tool] = await caller.tools('http_request', settings() as Record<string, unknown>);
      expect(tool).toMatchObject({ effect: 'once', taints: true, isOutward: true });
    });

    it('does not know the outcome when the server may have received the request', async () => {
      peer.handlers.set('/cut', (response) => response.destroy());
      expect(await send({ url: peer.at('/cut') })).toMatchObject({ kind: 'unknown' });
      peer.handlers.set('/half', (response) => {
        response.writeHead(200, { 'content-length': '100' }).write('half');
        setTimeout(() => response.destroy(), 20);
      });
      expect(await send({ url: peer.at('/half') })).toMatchObject({ kind: 'succeeded', output: { status: 200 } });
      expect(await send({ url: other.at('/') })).toMatchObject({ kind: 'failed', code: 'refused_url' });
      expect(await send({ url: 'http://127.0.0.1:1/' })).toMatchObject({ kind: 'failed' });
      expect(other.seen).toEqual([]);
    });

    it.each([['Host'], ['Content-Length'], ['transfer-encoding'], ['Connection'], ['Proxy-Authorization'], ['a b']])(
      'refuses the header %s',
      async (name) => {
        expect(await send({ url: peer.at('/'), headers: { [name]: 'x' } })).toMatchObject({ code: 'header_refused' });
        expect(peer.seen).toEqual([]);
      },
    );

    it('refuses line breaks in headers', async () => {
      expect(await send({ url: peer.at('/'), headers: { a: 'b\r\nc: d' } })).toMatchObject({ code: 'header_refused' });
    });
  });

  describe('settings', () => {
    const paths = (kind: string, settings: object): string[] =>
      caller.faults(kind, settings as Record<string, unknown>).map(({ path, code }) => `${path} ${code}`);

    it('may name hosts, and headers with secrets', () => {
      const headers = { 'x-a': '{{secret:A}} and {{ secret:B_2 }}', accept: 'text/plain' };
      expect(paths('http_get', {})).toEqual([]);
      for (const kind of ['http_get', 'http_request'])
        expect(paths(kind, { hosts: ['api.example.com', '*.example.org', peer.host], headers })).toEqual([]);
    });

    it('are refused with all their faults', () => {
      expect(paths('http_request', {})).toEqual(['tools[0].settings.hosts is_hosts']);
      expect(paths('http_get', { headers: { a: '{{secret:A}}' } })).toEqual(['tools[0].settings.hosts is_defined']);
      const hosts = [
        'ok.example.com',
        'localhost',
        'https://a.example.com',
        '127.0.0.1',
        '*.com*',
        'a.example.com:81',
        1,
      ];
      expect(paths('http_request', { hosts, other: 1 })).toEqual([
        'tools[0].settings.other whitelist_validation',
        ...[1, 2, 3, 4, 5, 6].map((index) => `tools[0].settings.hosts[${index}] is_host`),
      ]);
      const headers = { host: 'a', 'b c': 'x', ok: '{{secret:lower}}', two: 'a\nb', three: 3, open: '{{' };
      expect(paths('http_request', { hosts: ['a.example.com'], headers })).toEqual([
        'tools[0].settings.headers.host is_header',
        'tools[0].settings.headers.b c is_header',
        'tools[0].settings.headers.ok is_template',
        'tools[0].settings.headers.two is_header_text',
        'tools[0].settings.headers.three is_header_text',
        'tools[0].settings.headers.open is_template',
      ]);
    });
  });
});
