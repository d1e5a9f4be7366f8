import { isIP } from 'node:net';
import fc from 'fast-check';
import { checkRepositoryUrl } from './repository-url.js';

const RULES = { publicUrl: 'http://127.0.0.1:3000', allowedHosts: ['127.0.0.1:8418', 'git.internal'] };

const urlOf = (text: string, rules = RULES): string | undefined => {
  const checked = checkRepositoryUrl(text, rules);
  return 'url' in checked ? checked.url : undefined;
};

describe('checkRepositoryUrl()', () => {
  it.each([
    ['https://github.com/acme/shop', 'https://github.com/acme/shop'],
    ['https://github.com/acme/shop.git', 'https://github.com/acme/shop.git'],
    ['HTTPS://GitHub.COM/Acme/Shop/', 'https://github.com/Acme/Shop'],
    ['https://github.com:443/acme/.github', 'https://github.com/acme/.github'],
    ['https://git.sr.ht/~ada/tool', 'https://git.sr.ht/~ada/tool'],
    ['https://dev.azure.com/acme/My%20Project/_git/shop', 'https://dev.azure.com/acme/My%20Project/_git/shop'],
    ['https://xn--bcher-kva.example.org/a/b', 'https://xn--bcher-kva.example.org/a/b'],
    // Repositories of this service, and on hosts that the operator has allowed.
    ['http://127.0.0.1:3000/git/acme/shop.git', 'http://127.0.0.1:3000/git/acme/shop.git'],
    ['http://127.0.0.1:8418/shop.git', 'http://127.0.0.1:8418/shop.git'],
    ['https://git.internal/shop', 'https://git.internal/shop'],
    ['http://git.internal/shop', 'http://git.internal/shop'],
  ])('accepts %s', (text, url) => {
    expect(urlOf(text)).toBe(url);
  });

  it('recognizes repositories of this service by its public URL', () => {
    const rules = { publicUrl: 'https://api.example.org/platform', allowedHosts: [] };
    expect(urlOf('https://API.example.org/platform/git/acme/shop.git', rules)).toBe(
      'https://api.example.org/platform/git/acme/shop.git',
    );
    expect(urlOf('http://api.example.org/platform/git/acme/shop.git', rules)).toBeUndefined();
    expect(urlOf('https://api.example.org/acme/shop.git', rules)).toBeUndefined();
    expect(
      urlOf('http://localhost:8080/git/acme/shop.git', { publicUrl: 'http://localhost:8080', allowedHosts: [] }),
    ).toBeDefined();
  });

  it.each([
    // The scheme is missing or not https.
    '',
    'github.com/acme/shop',
    '//github.com/acme/shop',
    'http://github.com/acme/shop',
    'git://github.com/acme/shop',
    'ssh://git@github.com/acme/shop',
    'git@github.com:acme/shop.git',
    'file:///etc/passwd',
    'ext::sh -c id',
    '/etc',
    '--upload-pack=id',
    'https:github.com/acme/shop',
    'https:/github.com/acme/shop',
    'https:\\\\github.com\\acme\\shop',
    ' https://github.com/acme/shop',
    'https://github.com/acme/shop ',
    'javascript:alert(1)//github.com/a/b',
    // The URL has credentials, or disguises its host.
    'https://ada@github.com/acme/shop',
    'https://ada:secret@github.com/acme/shop',
    'https://github.com@evil.org/acme/shop',
    'https://github.com:x@evil.org/a/b',
    'https://github.com\\@evil.org/a/b',
    'https://evil.org#@github.com/a/b',
    'https://github.com%2eevil.org/a/b',
    // The host is an IP address, in any spelling.
    'https://127.0.0.1/a/b',
    'https://127.1/a/b',
    'https://2130706433/a/b',
    'https://0x7f000001/a/b',
    'https://0x7f.0.0.1/a/b',
    'https://0177.0.0.1/a/b',
    'https://127.0.0.0x1/a/b',
    'https://017700000001/a/b',
    'https://0/a/b',
    'https://[::1]/a/b',
    'https://[::ffff:127.0.0.1]/a/b',
    'https://169.254.169.254/latest/meta-data',
    'https://127.0.0.1./a/b',
    'https://a.1/a/b',
    'https://１２７.０.０.１/a/b',
    'https://127。0。0。1/a/b',
    'https://127.0.0.1:443/a/b',
    // Names that are not of the internet.
    'https://localhost/a/b',
    'https://LOCALHOST/a/b',
    'https://a.localhost/a/b',
    'https://printer.local/a/b',
    'https://metadata.google.internal/a/b',
    'https://git/a/b',
    'https://git.lan/a/b',
    'https://localhost.localdomain/a/b',
    'https://a.test/a/b',
    'https://x.onion/a/b',
    'https://1.0.0.127.in-addr.arpa/a/b',
    'https://github.com./a/b',
    'https://.github.com/a/b',
    'https://github..com/a/b',
    'https://-github.com/a/b',
    'https://github-.com/a/b',
    'https://git_hub.com/a/b',
    'https://bücher.de/a/b',
    'https://ɢithub.com/a/b',
    `https://${'a'.repeat(64)}.com/a/b`,
    `https://${'a.'.repeat(126)}com/a/b`,
    // Ports.
    'https://github.com:22/a/b',
    'https://github.com:80/a/b',
    'https://github.com:0/a/b',
    'https://github.com:/a/b',
    'https://github.com:443443/a/b',
    // Paths.
    'https://github.com',
    'https://github.com/',
    'https://github.com/acme',
    'https://github.com/acme/',
    'https://github.com//acme/shop',
    'https://github.com/acme//shop',
    'https://github.com/acme/../shop',
    'https://github.com/acme/./shop',
    'https://github.com/%2e%2e/shop',
    'https://github.com/acme%2fshop/x',
    'https://github.com/a%00/b',
    'https://github.com/a%0a/b',
    'https://github.com/acme/-shop',
    'https://github.com/--upload-pack=id/b',
    'https://github.com/a/b?c',
    'https://github.com/a/b#c',
    'https://github.com/a\\b/c',
    'https://github.com/a b/c',
    'https://github.com/a\tb/c',
    'https://github.com/a/b\n',
    'https://github.com/a/b\0',
    'https://github.com/a/`id`',
    'https://github.com/$(id)/b',
    'https://github.com/a;b/c',
    'https://github.com/ü/b',
    'https://github.com/a/b//',
    `https://github.com/a/${'b'.repeat(2_000)}`,
    // Almost ours.
    'http://127.0.0.1:3000/api/v1/x',
    'http://127.0.0.1:3000/git/acme',
    'http://127.0.0.1:3000/git',
    'http://127.0.0.1:3001/git/acme/shop',
    'https://127.0.0.1:3000/git/acme/shop',
    'http://localhost:3000/git/acme/shop',
    'http://127.0.0.1:3000/gitx/acme/shop',
    'http://127.0.0.1:3000/git/../api/v1',
    'http://user@127.0.0.1:3000/git/acme/shop',
    'http://127.0.0.1:8419/a/b',
    'http://git.internal:8080/a/b',
    'https://a.git.internal/a/b',
  ])('cannot be %j', (text) => {
    expect(urlOf(text)).toBeUndefined();
  });

  const strict = { publicUrl: 'https://api.service.org', allowedHosts: [] };
  const piece = fc.constantFrom(
    'https://',
    'http://',
    'github.com',
    'localhost',
    '127.0.0.1',
    '0x7f.1',
    '[::1]',
    '2130706433',
    '.',
    '/',
    '\\',
    '@',
    ':',
    ':443',
    '443',
    '?',
    '#',
    '%',
    '%2e',
    '%20',
    '-',
    '..',
    'a',
    'b.c',
    'ü',
    '\n',
    '\0',
    ' ',
    '.internal',
    'com',
    '。',
  );
  /** A good one with something in it that may not belong there. */
  const mutated = fc
    .tuple(fc.oneof(piece, fc.string({ minLength: 1, maxLength: 2 })), fc.nat(27))
    .map(
      ([what, at]) =>
        `${'https://github.com/acme/shop'.slice(0, at)}${what}${'https://github.com/acme/shop'.slice(at)}`,
    );
  const hostile = fc.oneof(
    mutated,
    fc.webUrl(),
    fc.array(piece, { maxLength: 9 }).map((pieces) => `https://${pieces.join('')}`),
    fc
      .tuple(fc.domain(), fc.array(fc.oneof(fc.string(), piece), { maxLength: 4 }))
      .map(([domain, path]) => `https://${domain}/${path.join('/')}`),
    fc.tuple(fc.ipV4Extended(), fc.string()).map(([address, path]) => `https://${address}/a/${path}`),
    fc.tuple(fc.ipV6(), fc.string()).map(([address, path]) => `https://[${address}]/a/${path}`),
  );

  it('accepts only URLs that every parser reads as https, a public host and a path', () => {
    let accepted = 0;
    fc.assert(
      fc.property(hostile, (text) => {
        const url = urlOf(text, strict);
        if (url === undefined) return;
        accepted += 1;
        const parsed = new URL(url);
        expect(parsed.href).toBe(url);
        expect([parsed.protocol, parsed.username, parsed.password, parsed.port, parsed.search, parsed.hash]).toEqual([
          'https:',
          '',
          '',
          '',
          '',
          '',
        ]);
        expect(isIP(parsed.hostname.replace(/^\[|\]$/g, ''))).toBe(0);
        expect(parsed.hostname).toMatch(/^[a-z0-9.-]+\.[a-z][a-z0-9-]*$/);
        expect(parsed.hostname).not.toMatch(/(^|\.)(localhost|local|internal)$/);
        expect(parsed.pathname.split('/').length).toBeGreaterThanOrEqual(3);
        expect(urlOf(url, strict)).toBe(url);
        // A parser finds the same host in the original text.
        expect(new URL(text).hostname).toBe(parsed.hostname);
      }),
      { numRuns: 3_000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});
