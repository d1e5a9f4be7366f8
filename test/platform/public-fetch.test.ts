import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { CheckedRequests } from '../../src/platform/egress/checked-requests.js';
import { HostAddresses } from '../../src/platform/egress/host-addresses.js';
import { PublicFetch, type PublicRequest } from '../../src/platform/egress/public-fetch.js';
import { HttpPeer } from '../support/http-peer.js';

const MIB = 1_048_576;

describe('requests to addresses that tenants choose', () => {
  const peer = new HttpPeer();
  const other = new HttpPeer();
  /** Trusted by nobody: it stands for what is inside of the network. */
  const inner = new HttpPeer();
  const addresses = new HostAddresses();
  const fetcher = new PublicFetch(new CheckedRequests(addresses));
  beforeAll(async () => {
    await Promise.all([peer, other, inner].map((each) => each.listen()));
  });
  afterEach(() => {
    jest.restoreAllMocks();
    for (const each of [peer, other]) each.seen.length = 0;
  });
  afterAll(() => {
    expect(inner.connections).toBe(0);
    for (const each of [peer, other, inner]) each.close();
  });

  const get = (url: string, more: Partial<PublicRequest> = {}): ReturnType<PublicFetch['fetch']> =>
    fetcher.fetch({ url, method: 'GET', trusted: [peer.host, other.host], timeoutMs: 5_000, ...more });
  const resolved = (...answers: string[][]): jest.SpyInstance => {
    const spy = jest.spyOn(addresses, 'of');
    for (const answer of answers) spy.mockResolvedValueOnce(answer);
    return spy;
  };
  const redirect = (location: string, status = 302): void => {
    peer.handlers.set('/to', (response) => response.writeHead(status, { location }).end());
  };

  it('return the status, the headers and the body', async () => {
    peer.handlers.set('/made', (response) => response.writeHead(201, { 'x-kind': 'a' }).end('made'));
    const answer = await get(peer.at('/made'), { method: 'POST', body: '{"a":1}', headers: { 'x-one': '1' } });
    expect(answer).toMatchObject({ status: 201, headers: { 'x-kind': 'a' }, isCut: false, url: peer.at('/made') });
    expect('bytes' in answer && answer.bytes.toString()).toBe('made');
    expect(peer.seen).toMatchObject([{ method: 'POST', body: '{"a":1}', headers: { 'x-one': '1' } }]);
  });

  it.each([
    ['a name of this machine', 'https://localhost/'],
    ['a loopback address', 'https://127.0.0.1/'],
    ['a decimal address', 'http://2130706433/'],
    ['an octal address', 'http://0177.0.0.1/'],
    ['a hexadecimal address', 'http://0x7f.0.0.1/'],
    ['a short address', 'http://127.1/'],
    ['the metadata of a cloud', 'http://169.254.169.254/latest/meta-data'],
    ['a mapped address', 'http://[::ffff:127.0.0.1]/'],
    ['a loopback address of IPv6', 'http://[::1]/'],
    ['a user', 'https://user:password@example.com/'],
    ['another port', 'https://example.com:8443/'],
    ['another scheme', 'file:///etc/passwd'],
    ['no host', 'https://'],
  ])('are refused for %s', async (_, url) => {
    const spy = resolved();
    const plain = { allowsPlainHttp: true };
    expect(await get(url, plain)).toEqual({ fault: 'refused_url', mayHaveArrived: false });
    redirect(url);
    expect(await get(peer.at('/to'), plain)).toEqual({ fault: 'refused_url', mayHaveArrived: true });
    expect(spy).not.toHaveBeenCalled();
  });

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.169.254',
    '0.0.0.0',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    'fe80::1',
    'fd00::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ])('are refused for a name with the address %s, also beside a public one', async (address) => {
    resolved([address], ['93.184.216.34', address]);
    for (let time = 0; time < 2; time++)
      expect(await get('https://inside.example.com/')).toEqual({ fault: 'private_address', mayHaveArrived: false });
    resolved([address]);
    redirect('https://inside.example.com/');
    expect(await get(peer.at('/to'))).toMatchObject({ fault: 'private_address' });
  });

  it('resolve a name once, so that a name that changes its address gains nothing', async () => {
    // The first answer passes the check. A second look would find this machine.
    const spy = resolved(['93.184.216.34'], ['127.0.0.1'], ['127.0.0.1']);
    const answer = await get('https://rebinding.example.com/', { timeoutMs: 300 });
    expect('fault' in answer && answer.fault).toMatch(/^(?:timed_out|connection_failed)$/);
    expect(spy).toHaveBeenCalledTimes(1);
  });

  it('say so when a name does not exist', async () => {
    jest.spyOn(addresses, 'of').mockRejectedValue(Object.assign(new Error('none'), { code: 'ENOTFOUND' }));
    expect(await get('https://nowhere.example.com/')).toEqual({ fault: 'unknown_host', mayHaveArrived: false });
  });

  it('reach only the listed hosts, also after a redirect', async () => {
    const hosts = ['api.example.com', '*.example.org', peer.host];
    resolved(['10.0.0.1'], ['10.0.0.1']);
    for (const url of ['https://api.example.com/', 'https://a.b.example.org/'])
      expect(await get(url, { hosts })).toMatchObject({ fault: 'private_address' });
    for (const url of [
      'https://example.org/',
      'https://badexample.org/',
      'https://example.com/',
      'https://api.example.com.evil.net/',
      other.at('/'),
    ])
      expect(await get(url, { hosts })).toMatchObject({ fault: 'refused_url' });
    redirect(other.at('/'));
    expect(await get(peer.at('/to'), { hosts })).toEqual({ fault: 'refused_url', mayHaveArrived: true });
    expect(other.seen).toEqual([]);
  });

  it('follow five redirects and no more', async () => {
    for (let at = 0; at < 6; at++)
      peer.handlers.set(`/${at}`, (response) => response.writeHead(301, { location: `/${at + 1}` }).end());
    expect(await get(peer.at('/1'))).toMatchObject({ status: 200, url: peer.at('/6') });
    expect(await get(peer.at('/0'))).toEqual({ fault: 'too_many_redirects', mayHaveArrived: true });
  });

  it('send credentials to the first host alone', async () => {
    const credentials = { 'X-Api-Key': 'secret' };
    const headers = { accept: 'text/plain', Authorization: 'Bearer of the model' };
    redirect(other.at('/'));
    await get(peer.at('/to'), { credentials, headers });
    expect(peer.seen[0]!.headers).toMatchObject({ 'x-api-key': 'secret', authorization: 'Bearer of the model' });
    expect(other.seen[0]!.headers).toMatchObject({ accept: 'text/plain' });
    expect(other.seen[0]!.headers).not.toHaveProperty('x-api-key');
    expect(other.seen[0]!.headers).not.toHaveProperty('authorization');
    redirect('/here');
    await get(peer.at('/to'), { credentials });
    expect(peer.seen.at(-1)).toMatchObject({ path: '/here', headers: { 'x-api-key': 'secret' } });
  });

  it.each([
    [301, 'GET', ''],
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', 'text'],
    [308, 'POST', 'text'],
  ])('go on after a redirect with %s as %s', async (status, method, body) => {
    redirect('/here', status);
    await get(peer.at('/to'), { method: 'POST', body: 'text', headers: { 'content-type': 'text/plain' } });
    expect(peer.seen.at(-1)).toMatchObject({ path: '/here', method, body });
  });

  it('read compressed bodies', async () => {
    const encodings = { gzip: gzipSync('hello'), deflate: deflateSync('hello'), br: brotliCompressSync('hello') };
    for (const [encoding, bytes] of Object.entries(encodings)) {
      peer.handlers.set('/', (response) => response.writeHead(200, { 'content-encoding': encoding }).end(bytes));
      expect(await get(peer.at('/'))).toMatchObject({ bytes: Buffer.from('hello') });
    }
    for (const encoding of ['zstd', 'gzip, gzip', 'br']) {
      const bytes = encodings.gzip;
      peer.handlers.set('/', (response) => response.writeHead(200, { 'content-encoding': encoding }).end(bytes));
      expect(await get(peer.at('/'))).toEqual({ fault: 'bad_body', mayHaveArrived: true });
    }
  });

  it('cut a body at 5 MiB, without reading the rest', async () => {
    let sent = 0;
    peer.handlers.set('/endless', (response) => {
      const part = Buffer.alloc(65_536, 'a');
      const more = (): void => {
        while (response.writable && response.write(part)) sent += part.length;
      };
      response.on('drain', more);
      more();
    });
    const answer = await get(peer.at('/endless'));
    expect(answer).toMatchObject({ status: 200, isCut: true });
    expect('bytes' in answer && answer.bytes.length).toBe(5 * MIB);
    expect(sent).toBeLessThan(40 * MIB);
  });

  it('decompress no more of a bomb than they return', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * MIB));
    expect(bomb.length).toBeLessThan(MIB);
    peer.handlers.set('/bomb', (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    const before = process.memoryUsage().arrayBuffers;
    const answer = await get(peer.at('/bomb'), { maxBytes: MIB });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * MIB);
    expect(answer).toMatchObject({ isCut: true });
    expect('bytes' in answer && answer.bytes.length).toBe(MIB);
  });

  it('end a compressed body that grows without having content', async () => {
    const empty = gzipSync('');
    peer.handlers.set('/empty', (response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      const part = Buffer.concat(Array.from({ length: 5_000 }, () => empty));
      const more = (): void => {
        while (response.writable && response.write(part));
      };
      response.on('drain', more);
      more();
    });
    expect(await get(peer.at('/empty'), { maxBytes: MIB })).toMatchObject({ fault: 'bad_body' });
  });

  it('refuse a flood of headers', async () => {
    peer.handlers.set('/flood', (response) => {
      for (let at = 0; at < 100; at++) response.setHeader(`x-${at}`, 'a'.repeat(1_000));
      response.end();
    });
    expect(await get(peer.at('/flood'))).toEqual({ fault: 'headers_too_large', mayHaveArrived: true });
  });

  it('end in time, however slowly a server answers', async () => {
    peer.handlers.set('/silent', () => undefined);
    peer.handlers.set('/slow', (response) => {
      const timer = setInterval(() => response.write('a'), 20);
      response.on('close', () => {
        clearInterval(timer);
      });
    });
    peer.handlers.set('/loop', (response) => {
      setTimeout(() => response.writeHead(302, { location: '/loop' }).end(), 100);
    });
    const begun = performance.now();
    for (const path of ['/silent', '/slow', '/loop'])
      expect(await get(peer.at(path), { timeoutMs: 300 })).toEqual({ fault: 'timed_out', mayHaveArrived: true });
    expect(performance.now() - begun).toBeLessThan(3_000);
  });

  it('end when they are aborted', async () => {
    peer.handlers.set('/silent', () => undefined);
    const leaving = new AbortController();
    const answer = get(peer.at('/silent'), { signal: leaving.signal });
    setTimeout(() => {
      leaving.abort();
    }, 50);
    expect(await answer).toEqual({ fault: 'aborted', mayHaveArrived: true });
    expect(await get(peer.at('/silent'), { signal: leaving.signal })).toEqual({
      fault: 'aborted',
      mayHaveArrived: false,
    });
  });

  it('say what broke off, and whether the request may have arrived', async () => {
    peer.handlers.set('/broken', (response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setTimeout(() => response.destroy(), 20);
    });
    peer.handlers.set('/closed', (response) => response.destroy());
    expect(await get(peer.at('/broken'))).toEqual({ fault: 'bad_body', mayHaveArrived: true });
    expect(await get(peer.at('/closed'))).toEqual({ fault: 'connection_failed', mayHaveArrived: true });
    expect(await get('http://127.0.0.1:1/', { trusted: ['127.0.0.1:1'] })).toEqual({
      fault: 'connection_failed',
      mayHaveArrived: false,
    });
    expect(await get(peer.at('/'), { headers: { 'x-a': 'one\r\nx-b: two' } })).toEqual({
      fault: 'connection_failed',
      mayHaveArrived: false,
    });
  });
});
