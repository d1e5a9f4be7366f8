import fc from 'fast-check';
import { returnPlaceOf, withResult } from './return-place.js';

const ORIGIN = 'https://dashboard.example.com';
const ORIGINS = [ORIGIN];

describe('the place that a sign-in returns to', () => {
  it('has an origin of the service, or is a program on the machine of the person, whatever is asked for', () => {
    const piece = fc.constantFrom(
      'https:',
      'http:',
      '//',
      '/',
      '\\',
      '@',
      ':',
      '#',
      '?',
      '.',
      '\t',
      '%2f',
      'dashboard.example.com',
      'evil.example',
      '127.0.0.1',
      '[::1]',
      'localhost',
      '8080',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const place = returnPlaceOf(pieces.join(''), ORIGINS);
        if (place === undefined) return;
        const { origin, protocol, hostname, username, password, hash } = new URL(withResult(place, 'code', 'c'));
        expect([username, password, hash]).toEqual(['', '', '']);
        expect(origin === ORIGIN || (protocol === 'http:' && ['127.0.0.1', '[::1]'].includes(hostname))).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });

  it('keeps its query, but for the results of other sign-ins', () => {
    const place = returnPlaceOf(`${ORIGIN}/app?a=1&code=old&error=old`, ORIGINS)!;
    expect(withResult(place, 'code', 'svc_flow_1')).toBe(`${ORIGIN}/app?a=1&code=svc_flow_1`);
    expect(withResult(place, 'error', 'access_denied')).toBe(`${ORIGIN}/app?a=1&error=access_denied`);
  });
});
