import { isAddressOrRange } from '../../egress/ipv4-range.js';
import { type NetworkRules, replacementOf, rulesetOf } from './network-rules.js';

const RULES: NetworkRules = {
  reach: 'public',
  listed: [],
  exempt: [
    { address: '10.0.0.5', port: 5432 },
    { address: '10.1.0.0/16', port: null },
  ],
  refused: ['198.51.99.7', '198.51.99.7'],
};

describe('rulesetOf', () => {
  it('refuses the ranges that are not public before anything else is allowed, except for what is exempt', () => {
    const lines = rulesetOf(RULES)
      .split('\n')
      .map((line) => line.trim());
    const outward = lines.slice(lines.indexOf('chain outward {'), lines.indexOf('chain opening {'));
    const place = (text: string): number => outward.findIndex((line) => line.startsWith(text));
    expect(outward[1]).toBe('type filter hook output priority 0; policy drop;');
    expect(place('ip daddr { 127.0.0.0/8, 192.0.0.0/24 } goto refusal')).toBeLessThan(
      place('ip daddr @exempt_addresses'),
    );
    expect(place('ip daddr @exempt_services')).toBeLessThan(place('ip daddr @inner goto refusal'));
    expect(place('ip daddr @refused goto refusal')).toBeLessThan(place('th dport 25 goto refusal'));
    expect(place('th dport 25 goto refusal')).toBe(place('goto opening') - 1);
    expect(rulesetOf(RULES)).toContain('169.254.0.0/16');
  });

  it('ends with a refusal when only listed hosts may be reached', () => {
    const listed = rulesetOf({ ...RULES, reach: 'listed' });
    expect(listed).toMatch(/@listed_services goto opening\n\s+goto refusal\n\s+\}/);
  });
});

describe('replacementOf', () => {
  it('empties each set and fills it again', () => {
    expect(replacementOf(RULES).trim().split('\n')).toEqual([
      'flush set inet app refused',
      'add element inet app refused { 198.51.99.7 }',
      'flush set inet app exempt_addresses',
      'add element inet app exempt_addresses { 10.1.0.0/16 }',
      'flush set inet app exempt_services',
      'add element inet app exempt_services { 10.0.0.5 . 5432 }',
      'flush set inet app listed_addresses',
      'flush set inet app listed_services',
    ]);
  });

  it.each(['10.0.0.5 }; flush ruleset', '::1', 'example.com', '10.0.0.1/8', '10.0.0.0/0', ''])(
    'lets nothing but addresses into the commands: %s',
    (address) => {
      expect(isAddressOrRange(address)).toBe(false);
      expect(() => replacementOf({ ...RULES, refused: [address] })).toThrow('not an IPv4 address');
      expect(() => replacementOf({ ...RULES, listed: [{ address, port: null }] })).toThrow('not an IPv4 address');
    },
  );

  it.each([0, 65_536, 1.5, Number.NaN])('refuses the port %s', (port) => {
    expect(() => replacementOf({ ...RULES, exempt: [{ address: '10.0.0.5', port }] })).toThrow('a port is a number');
  });
});
