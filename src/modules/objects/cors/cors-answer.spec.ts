import type { CorsRule } from '../persistence/bucket-rows.js';
import { corsHeadersOf, preflightHeadersOf, requestedHeadersOf, ruleFor } from './cors-answer.js';

const rule = (changes: Partial<CorsRule> = {}): CorsRule => ({
  origins: ['https://shop.example'],
  methods: ['GET', 'PUT'],
  headers: ['Content-Type', 'x-amz-*'],
  expose_headers: ['ETag'],
  max_age_seconds: 600,
  ...changes,
});
const request = { origin: 'https://shop.example', method: 'PUT', headers: ['content-type'] };

it('allows an exact origin, method and headers, whatever their case', () => {
  expect(ruleFor([rule()], request)).toEqual(rule());
  expect(ruleFor([rule()], { ...request, headers: ['x-amz-date', 'content-type'] })).toEqual(rule());
});

it.each([
  { origin: 'https://shop.example.evil' },
  { origin: 'http://shop.example' },
  { origin: 'https://a.shop.example' },
  { origin: 'null' },
  { method: 'DELETE' },
  { method: 'put' },
  { headers: ['content-type', 'authorization'] },
  { headers: ['x-amz'] },
])('refuses %j', (changes) => {
  expect(ruleFor([rule()], { ...request, ...changes })).toBeUndefined();
});

it('does not read patterns into origins', () => {
  expect(ruleFor([rule({ origins: ['https://*.example'] })], request)).toBeUndefined();
});

it('takes the first rule that allows the request', () => {
  const any = rule({ origins: ['*'], methods: ['GET'], headers: ['*'] });
  expect(ruleFor([rule(), any], { ...request, method: 'GET' })).toEqual(rule());
  expect(ruleFor([rule(), any], { origin: 'null', method: 'GET', headers: ['anything'] })).toEqual(any);
});

it('answers with the origin, or with * where every origin is allowed, and never allows credentials', () => {
  expect(corsHeadersOf(rule(), request.origin)).toEqual([
    ['Access-Control-Allow-Origin', 'https://shop.example'],
    ['Access-Control-Expose-Headers', 'ETag'],
  ]);
  const any = preflightHeadersOf(rule({ origins: ['*'], expose_headers: [] }), request);
  expect(any).toEqual([
    ['Access-Control-Allow-Origin', '*'],
    ['Access-Control-Allow-Methods', 'GET, PUT'],
    ['Access-Control-Max-Age', '600'],
    ['Access-Control-Allow-Headers', 'content-type'],
  ]);
});

it('reads a list of headers, and refuses one without an end', () => {
  expect(requestedHeadersOf(' X-A ,x-b,,')).toEqual(['x-a', 'x-b']);
  expect(requestedHeadersOf(undefined)).toEqual([]);
  expect(requestedHeadersOf('a,'.repeat(200))).toBeUndefined();
});
