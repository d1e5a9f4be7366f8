import { parseAddress } from './database-address.js';

describe('parseAddress', () => {
  it.each([
    ['db.example.com', 'db.example.com', undefined],
    ['db.example.com:5432', 'db.example.com', 5432],
    ['10.0.0.5:5433', '10.0.0.5', 5433],
    ['[fd00::5]:5433', '[fd00::5]', 5433],
    ['databases_1', 'databases_1', undefined],
  ])('reads %s', (text, host, port) => {
    expect(parseAddress(text)).toEqual({ host, port });
  });

  it.each(['', ':5433', 'a:b', 'a:99999', 'postgres://a:5432', 'user@host', 'a/b', 'a b', 'fd00::5'])(
    'refuses "%s"',
    (text) => {
      expect(parseAddress(text)).toBeUndefined();
    },
  );
});
