import fc from 'fast-check';
import { isFault, readDomainName, unicodeOf } from './domain-name.js';

const PLATFORM = (host: string): boolean => host === 'apps.example.com' || host.endsWith('.apps.example.com');
const read = (typed: string): ReturnType<typeof readDomainName> => readDomainName(typed, PLATFORM);
const asciiOf = (typed: string): string | undefined => {
  const name = read(typed);
  return isFault(name) ? undefined : name.ascii;
};

describe('a domain name', () => {
  it.each([
    ['shop.example.com', 'shop.example.com'],
    ['SHOP.Example.COM', 'shop.example.com'],
    ['bücher.de', 'xn--bcher-kva.de'],
    ['BÜCHER.de', 'xn--bcher-kva.de'],
    ['xn--bcher-kva.de', 'xn--bcher-kva.de'],
    ['XN--BCHER-KVA.de', 'xn--bcher-kva.de'],
    ['ｓｈｏｐ.example.com', 'shop.example.com'],
    ['shop。example．com', 'shop.example.com'],
    ['*.Example.com', '*.example.com'],
    ['a.b.c.example.co.uk', 'a.b.c.example.co.uk'],
    ['shop.github.io', 'shop.github.io'],
    ['straße.de', 'xn--strae-oqa.de'],
    ['sho\u00adp.example.com', 'shop.example.com'],
  ])('%s is %s', (typed, ascii) => {
    expect(asciiOf(typed)).toBe(ascii);
  });

  it.each([
    ['', 'is_domain'],
    ['example.com.', 'is_domain'],
    ['.example.com', 'is_domain'],
    ['a..example.com', 'is_domain'],
    ['example.com。', 'is_domain'],
    ['https://example.com', 'is_domain'],
    ['example.com:443', 'is_domain'],
    ['example.com/path', 'is_domain'],
    ['user@example.com', 'is_domain'],
    ['ex ample.com', 'is_domain'],
    ['example.com\n', 'is_domain'],
    ['under_score.example.com', 'is_domain'],
    ['-a.example.com', 'is_domain'],
    ['a-.example.com', 'is_domain'],
    [`${'a'.repeat(64)}.example.com`, 'is_domain'],
    ['xn--.example.com', 'is_domain'],
    ['xn--a.example.com', 'is_domain'],
    ['xn--shop-.example.com', 'is_domain'],
    ['p\u0430ypal.com', 'is_one_script'],
    ['xn--pypal-4ve.com', 'is_one_script'],
    ['*', 'is_domain'],
    ['*.*.example.com', 'is_domain'],
    ['a.*.example.com', 'is_domain'],
    ['192.0.2.1', 'is_domain'],
    ['0x7f.1', 'is_domain'],
    ['2130706433', 'is_domain'],
    ['①②⑦.0.0.1', 'is_domain'],
    ['[2001:db8::1]', 'is_domain'],
    [`${'abcdefgh.'.repeat(28)}example.com`, 'max_length'],
    ['a'.repeat(5_000), 'max_length'],
    ['localhost', 'is_public'],
    ['shop.localhost', 'is_public'],
    ['printer.local', 'is_public'],
    ['shop.internal', 'is_public'],
    ['shop.notatld', 'is_public'],
    ['1.168.192.in-addr.arpa', 'is_public'],
    ['com', 'is_not_public_suffix'],
    ['co.uk', 'is_not_public_suffix'],
    ['github.io', 'is_not_public_suffix'],
    ['*.co.uk', 'is_not_public_suffix'],
    ['*.github.io', 'is_not_public_suffix'],
    ['apps.example.com', 'is_not_reserved'],
    ['SHOP.Apps.example.com', 'is_not_reserved'],
    ['*.apps.example.com', 'is_not_reserved'],
  ])('%j is refused with %s', (typed, code) => {
    expect(read(typed)).toMatchObject({ code });
  });

  it.each([
    ['example.com', { isApex: true, base: 'example.com' }],
    ['example.co.uk', { isApex: true, base: 'example.co.uk' }],
    ['www.example.com', { isApex: false, base: 'example.com' }],
    ['www.com', { isApex: true, base: 'www.com' }],
    ['www.github.io', { isApex: true, base: 'www.github.io' }],
    ['*.example.com', { isApex: false, base: 'example.com' }],
    ['*.www.example.com', { isApex: false, base: 'www.example.com' }],
    ['www.shop.example.com', { isApex: false, base: 'shop.example.com' }],
  ])('%s is %j', (typed, facts) => {
    expect(read(typed)).toMatchObject(facts);
  });

  it('shows other scripts', () => {
    expect(unicodeOf('*.xn--bcher-kva.de')).toBe('*.bücher.de');
    expect(unicodeOf('example.com')).toBe('example.com');
  });

  it('has one form, whatever was typed', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.domain(),
          fc.string().map((text) => `${text}.com`),
        ),
        (typed) => {
          const name = read(typed);
          if (isFault(name)) return;
          expect(name.ascii).toMatch(/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+$/);
          expect(name.ascii.length).toBeLessThanOrEqual(253);
          expect(read(name.ascii)).toEqual(name);
          expect(read(name.ascii.toUpperCase())).toEqual(name);
          expect(asciiOf(unicodeOf(name.ascii))).toBe(name.ascii);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
