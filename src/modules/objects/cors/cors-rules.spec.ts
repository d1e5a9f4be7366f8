import { faultOfCors, isCorsHeader, isCorsOrigin } from './cors-rules.js';

it.each(['*', 'https://shop.example', 'http://localhost:3000', 'http://[::1]:8080'])(
  'takes the origin %s',
  (origin) => {
    expect(isCorsOrigin(origin)).toBe(true);
  },
);

it.each([
  '',
  'null',
  'shop.example',
  'https://shop.example/',
  'https://*.example',
  'https://Shop.example',
  'https://shop.example:443',
  'ftp://shop.example',
  'https://user@shop.example',
  `https://${'a'.repeat(300)}.example`,
])('refuses the origin %j', (origin) => {
  expect(isCorsOrigin(origin)).toBe(false);
});

it('takes names of headers, and a * only where it is open', () => {
  expect(['*', 'x-amz-*', 'content-type'].map((name) => isCorsHeader(name, { open: true }))).toEqual([
    true,
    true,
    true,
  ]);
  expect(['*', 'x-amz-*', 'etag'].map((name) => isCorsHeader(name, { open: false }))).toEqual([false, false, true]);
  expect(['', 'a b', 'a\r\nb', '*x', 'a*b'].some((name) => isCorsHeader(name, { open: true }))).toBe(false);
});

it('names what is wrong with a rule', () => {
  const rule = { origins: ['*'], methods: ['GET'], headers: [], expose_headers: [], max_age_seconds: 0 };
  expect(faultOfCors([rule])).toBeUndefined();
  expect(faultOfCors(Array.from({ length: 21 }, () => rule))).toMatch('20 rules');
  expect(faultOfCors([{ ...rule, methods: ['TRACE'] }])).toMatch('method');
  expect(faultOfCors([{ ...rule, max_age_seconds: 1.5 }])).toMatch('age');
  expect(faultOfCors([{ ...rule, origins: [] }])).toMatch('origin');
});
