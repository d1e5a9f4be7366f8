import { RangeNotSatisfiable } from '../objects.errors.js';
import { outcomeOf } from './read-conditions.js';

const object = { etag: 'abc', size: 10, updatedAt: new Date('2026-12-01T09:00:00.700Z') };
const SAME = 'Tue, 01 Dec 2026 09:00:00 GMT';
const BEFORE = 'Tue, 01 Dec 2026 08:59:59 GMT';

it.each([
  [{}, 'whole'],
  [{ 'if-none-match': '"abc"' }, 'not_modified'],
  [{ 'if-none-match': '"x", W/"abc"' }, 'not_modified'],
  [{ 'if-none-match': '*' }, 'not_modified'],
  [{ 'if-none-match': '"x"', 'if-modified-since': SAME }, 'whole'],
  [{ 'if-modified-since': SAME }, 'not_modified'],
  [{ 'if-modified-since': BEFORE }, 'whole'],
  [{ 'if-modified-since': 'nonsense' }, 'whole'],
  [{ 'if-match': '"abc"' }, 'whole'],
  [{ 'if-match': '"x"' }, 'changed'],
  [{ 'if-unmodified-since': BEFORE }, 'changed'],
  [{ 'if-unmodified-since': SAME }, 'whole'],
  [{ 'if-match': '"x"', 'if-none-match': '"abc"' }, 'changed'],
  [{ range: 'bytes=0-1', 'if-range': '"x"' }, 'whole'],
  [{ range: 'bytes=0-1,3-4' }, 'whole'],
])('answers %j with %s', (headers, kind) => {
  expect(outcomeOf(headers, object)).toEqual({ kind });
});

it.each([
  ['bytes=2-3', { start: 2, end: 3 }],
  ['bytes=8-', { start: 8, end: 9 }],
  ['bytes=-3', { start: 7, end: 9 }],
  ['bytes=5-100', { start: 5, end: 9 }],
])('answers the range %s with a part', (range, part) => {
  expect(outcomeOf({ range, 'if-range': '"abc"' }, object)).toEqual({ kind: 'part', range: part });
});

it('refuses a range behind the end', () => {
  expect(() => outcomeOf({ range: 'bytes=10-' }, object)).toThrow(RangeNotSatisfiable);
});
