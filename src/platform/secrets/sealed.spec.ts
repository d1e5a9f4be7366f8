import { keyFor, seal, unseal } from './sealed.js';

describe('seal', () => {
  const key = keyFor('answers', 'a secret of the operator');
  const sealed = seal(Buffer.from('svc_pat_…'), key, 'who');

  it('can be opened with the same key and context, and differs each time', () => {
    expect(unseal(sealed, key, 'who').toString()).toBe('svc_pat_…');
    expect(seal(Buffer.from('svc_pat_…'), key, 'who').equals(sealed)).toBe(false);
    expect(sealed.toString('latin1')).not.toContain('svc_pat');
  });

  it('cannot be opened with anything else', () => {
    expect(() => unseal(sealed, keyFor('other', 'a secret of the operator'), 'who')).toThrow();
    expect(() => unseal(sealed, key, 'whom')).toThrow();
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      expect(() => unseal(changed, key, 'who')).toThrow();
    }
  });
});
