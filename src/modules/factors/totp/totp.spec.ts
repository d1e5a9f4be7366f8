import { base32, codeOf, stepAt, stepOfCode, totpUri } from './totp.js';

const SECRET = Buffer.from('12345678901234567890');

describe('TOTP', () => {
  it('computes the codes of RFC 6238, appendix B', () => {
    const vectors: [number, string][] = [
      [59, '94287082'],
      [1_111_111_109, '07081804'],
      [1_111_111_111, '14050471'],
      [1_234_567_890, '89005924'],
      [2_000_000_000, '69279037'],
      [20_000_000_000, '65353130'],
    ];
    for (const [seconds, code] of vectors) expect(codeOf(SECRET, stepAt(new Date(seconds * 1000)), 8)).toBe(code);
  });

  it('takes the codes of the present step and of one before and after, and no others', () => {
    const at = new Date('2026-03-01T12:00:10Z');
    const step = stepAt(at);
    const taken = [-2, -1, 0, 1, 2].map((apart) => stepOfCode(SECRET, codeOf(SECRET, step + apart), { at, after: 0 }));
    expect(taken).toEqual([undefined, step - 1, step, step + 1, undefined]);
  });

  it('takes no step that was used, and none before it', () => {
    const at = new Date('2026-03-01T12:00:10Z');
    const step = stepAt(at);
    expect(stepOfCode(SECRET, codeOf(SECRET, step), { at, after: step })).toBeUndefined();
    expect(stepOfCode(SECRET, codeOf(SECRET, step - 1), { at, after: step })).toBeUndefined();
    expect(stepOfCode(SECRET, codeOf(SECRET, step + 1), { at, after: step })).toBe(step + 1);
  });

  it('takes nothing that is longer or shorter than a code', () => {
    const at = new Date('2026-03-01T12:00:10Z');
    const code = codeOf(SECRET, stepAt(at));
    for (const text of ['', code.slice(0, 5), `${code}0`, `${code} `])
      expect(stepOfCode(SECRET, text, { at, after: 0 })).toBeUndefined();
  });

  it('writes secrets as RFC 4648, section 10', () => {
    const vectors = ['', 'MY', 'MZXQ', 'MZXW6', 'MZXW6YQ', 'MZXW6YTB', 'MZXW6YTBOI'];
    expect(vectors.map((_, length) => base32(Buffer.from('foobar'.slice(0, length))))).toEqual(vectors);
  });

  it('names issuer and account in the address, without a plus', () => {
    expect(totpUri({ secret: 'ABC', issuer: 'My platform', account: 'a+b@example.org' })).toBe(
      'otpauth://totp/My%20platform:a%2Bb%40example.org' +
        '?secret=ABC&issuer=My%20platform&algorithm=SHA1&digits=6&period=30',
    );
  });
});
