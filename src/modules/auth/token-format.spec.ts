import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { createToken, tokenKindOf } from './token-format.js';

describe('tokens', () => {
  it('have a kind, and a checksum that detects any one changed character', () => {
    const character = fc.stringMatching(/^[0-9A-Za-z]$/);
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 24, maxLength: 24 }),
        fc.constantFrom('pat', 'sel', 'org', 'sess', 'mail', 'inv'),
        fc.nat(38),
        character,
        (bytes, kind, at, other) => {
          const token = createToken(kind, Buffer.from(bytes));
          expect(tokenKindOf(token)).toBe(kind);
          const place = token.length - 39 + at;
          const changed = token.slice(0, place) + other + token.slice(place + 1);
          expect(tokenKindOf(changed)).toBe(changed === token ? kind : undefined);
        },
      ),
    );
  });

  it('have the one length of their kind, whatever the bytes', () => {
    for (const bytes of [Buffer.alloc(24), Buffer.alloc(24, 255), randomBytes(24)])
      expect(createToken('pat', bytes)).toMatch(/^svc_pat_[0-9A-Za-z]{39}$/);
    expect(() => createToken('pat', Buffer.alloc(23))).toThrow(RangeError);
  });

  it.each(['', 'svc_pat_', 'sk_live_123', `svc_pat_${'0'.repeat(39)}`, `svc_xyz_${'0'.repeat(39)}`, 'eyJhbGciOi.J9.x'])(
    'are not %j',
    (text) => {
      expect(tokenKindOf(text)).toBeUndefined();
    },
  );
});
