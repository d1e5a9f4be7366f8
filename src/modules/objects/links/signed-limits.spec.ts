import { PayloadTooLarge } from '../../../platform/http/http.errors.js';
import { requireSignedSize } from './signed-limits.js';

it('allows bodies up to the limit, and all without one', () => {
  requireSignedSize(undefined, 1e12);
  requireSignedSize('10', 10);
});

it.each(['9', '', '1e9', '-1', ' 10', '99999999999999999999'])('refuses ten bytes with the limit %j', (limit) => {
  expect(() => {
    requireSignedSize(limit, 10);
  }).toThrow(PayloadTooLarge);
});
