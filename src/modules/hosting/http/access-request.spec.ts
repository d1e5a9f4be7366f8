import fc from 'fast-check';
import { localTarget, withoutToken } from './access-request.js';
import { privateHeaders } from './private-answer.js';

const target = fc
  .array(
    fc.constantFrom('/', '\\', '//', 'a', '..', '%2f', '?', '&', 'x=1', '_service_access=t', '#', ':', '@', 'é', ' '),
  )
  .map((parts) => `/${parts.join('')}`);

describe('the target of a redirect', () => {
  it('stays on the host', () => {
    fc.assert(
      fc.property(fc.oneof(target, fc.string()), (text) => {
        for (const local of [localTarget(text), withoutToken(text)])
          expect(new URL(local, 'https://shop.example.com').origin).toBe('https://shop.example.com');
      }),
    );
  });

  it.each([
    ['/?_service_access=t', '/'],
    ['/a?_service_access=t&b=1', '/a?b=1'],
    ['/a?b=1&_service_access=t', '/a?b=1'],
    ['/a?b=1?c&_service_access=t#x', '/a?b=1?c'],
    ['//evil.example/?_service_access=t', '/evil.example/'],
  ])('of %s is %s', (from, to) => {
    expect(withoutToken(from)).toBe(to);
  });
});

describe('the caching headers of a private answer', () => {
  it.each([
    [[], ['Cache-Control', 'private']],
    [
      ['cache-control', 'public, max-age=31536000, immutable', 'Vary', 'a'],
      ['Vary', 'a', 'Cache-Control', 'private, max-age=31536000, immutable'],
    ],
    [
      ['Cache-Control', 'S-MaxAge=5', 'cache-control', 'no-cache', 'Surrogate-Control', 'max-age=1'],
      ['Cache-Control', 'private, no-cache'],
    ],
    [
      ['Vercel-CDN-Cache-Control', 'max-age=1', 'CDN-Cache-Control', 'max-age=1'],
      ['Cache-Control', 'private'],
    ],
  ])('of %j are %j', (headers, kept) => {
    expect(privateHeaders(headers)).toEqual(kept);
  });
});
