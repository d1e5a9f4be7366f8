import { parseAddresses, parseDestinations, parseNameServers } from './destinations.js';

describe('parseDestinations', () => {
  it('reads names, addresses and ranges, with and without ports', () => {
    expect(parseDestinations('API.example.com, 10.0.0.5:5432 ,10.1.0.0/16,db:1')).toEqual([
      { host: 'api.example.com', isName: true, port: null },
      { host: '10.0.0.5', isName: false, port: 5432 },
      { host: '10.1.0.0/16', isName: false, port: null },
      { host: 'db', isName: true, port: 1 },
    ]);
    expect(parseDestinations('')).toEqual([]);
  });

  it.each([
    '10.0.0.5:0',
    '10.0.0.5:65536',
    '10.0.0.1/8',
    '10.0.0.0/0',
    '10.0.0.0/33',
    '010.0.0.1',
    '1.2.3',
    '0x7f.1',
    '::1',
    '[::1]:80',
    'a b',
    'https://example.com',
    '*.example.com',
    'example.com:443:1',
    '1.2.3.4 } ; flush ruleset',
  ])('refuses %s', (text) => {
    expect(parseDestinations(text)).toBeUndefined();
  });

  it('bounds the list', () => {
    expect(parseDestinations(Array.from({ length: 101 }, (_, index) => `h${index}.com`).join(','))).toBeUndefined();
  });
});

describe('parseAddresses and parseNameServers', () => {
  it('read addresses only', () => {
    expect(parseAddresses('203.0.113.7, 203.0.113.0/24')).toEqual(['203.0.113.7', '203.0.113.0/24']);
    expect(parseAddresses('example.com')).toBeUndefined();
    expect(parseNameServers('10.0.0.53, 10.0.1.53:5353')).toEqual(['10.0.0.53', '10.0.1.53:5353']);
    expect(['', 'ns.example.com', '10.0.0.0/24'].map(parseNameServers)).toEqual([undefined, undefined, undefined]);
  });
});
