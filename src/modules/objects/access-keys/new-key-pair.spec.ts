import { isAccessKeyId, newKeyPair } from './new-key-pair.js';

it('returns another pair each time, in the form that programs for S3 expect', () => {
  const pairs = Array.from({ length: 100 }, newKeyPair);
  expect(new Set(pairs.flatMap(({ id, secret }) => [id, secret])).size).toBe(200);
  for (const { id, secret } of pairs) {
    expect(isAccessKeyId(id)).toBe(true);
    expect(secret).toMatch(/^[\w-]{40}$/);
  }
});

it.each(['', 'AK', 'AKIA0000000000000000', `AK${'A'.repeat(19)}`, `ak${'A'.repeat(18)}`, `AK${'A'.repeat(18)}\n`])(
  'refuses %j as an id without a lookup',
  (text) => {
    expect(isAccessKeyId(text)).toBe(false);
  },
);
