import { containsRange, isInRange, normalRange } from './address-ranges.js';

describe('address ranges', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7/32'],
    ['::ffff:203.0.113.7', '203.0.113.7/32'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['2001:DB8::1', '2001:db8::1/128'],
    ['2001:db8::1/32', '2001:db8::/32'],
  ])('reads %s as %s', (text, expected) => {
    expect(normalRange(text)).toBe(expected);
  });

  it.each(['', 'everywhere', '10.0.0.0/33', '10.0.0/8/8', '300.1.1.1'])('refuses %j', (text) => {
    expect(normalRange(text)).toBeUndefined();
  });

  it('tells what lies in them, and never mixes the two families', () => {
    expect(isInRange('10.0.0.0/8', '10.255.0.1')).toBe(true);
    expect(isInRange('10.0.0.0/8', '::ffff:10.0.0.1')).toBe(true);
    expect(isInRange('10.0.0.0/8', '11.0.0.1')).toBe(false);
    expect(isInRange('::/1', '10.0.0.1')).toBe(false);
    expect(isInRange('10.0.0.0/8', 'unknown')).toBe(false);
    expect(containsRange('10.0.0.0/8', '10.2.0.0/16')).toBe(true);
    expect(containsRange('10.2.0.0/16', '10.0.0.0/8')).toBe(false);
    expect(containsRange('10.2.0.0/16', '10.3.0.0/24')).toBe(false);
  });
});
