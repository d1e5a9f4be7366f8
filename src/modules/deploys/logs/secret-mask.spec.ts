import fc from 'fast-check';
import { secretMask } from './secret-mask.js';

describe('the mask over secrets', () => {
  it('hides a value wherever it stands, and leaves the rest', () => {
    const mask = secretMask(['s3cr3t-value']);
    expect(mask('curl -H "x: s3cr3t-value" s3cr3t-values')).toBe('curl -H "x: [secret]" [secret]s');
  });

  it('hides it in Base64, in a URL and in JSON as well', () => {
    const secret = 'p@ss "word"/ü?';
    const mask = secretMask([secret]);
    for (const text of [Buffer.from(secret).toString('base64'), Buffer.from(secret).toString('base64url'), encodeURIComponent(secret), JSON.stringify({ secret })]) {
      expect(mask(`<${text}>`)).toContain('[secret]');
      expect(mask(`<${text}>`)).not.toContain(text);
    }
  });

  it('hides each line of a value with several, as a log has it', () => {
    const mask = secretMask(['-----BEGIN KEY-----\nabcdefgh\r\nijklmnop\n-----END KEY-----']);
    expect(['abcdefgh', 'ijklmnop', 'abc'].map(mask)).toEqual(['[secret]', '[secret]', 'abc']);
  });

  it('lets values of fewer than four characters be, which are in too many words', () => {
    expect(secretMask(['', 'a', '123'])('a123')).toBe('a123');
  });

  it('hides the longer of two first', () => {
    expect(secretMask(['abcd', 'abcdefgh'])('abcdefgh abcd')).toBe('[secret] [secret]');
  });

  it('never shows a value of four characters or more, whatever is in it', () => {
    fc.assert(fc.property(fc.string({ minLength: 4, maxLength: 30 }).filter((text) => !text.includes('[secret]') && !'[secret]'.includes(text)), fc.string(), fc.string(), (secret, before, after) => {
      // Beside the mask its own letters may stand so that they make the secret anew; those are no secret that was there.
      expect(secretMask([secret])(`${before}${secret}${after}`)).toContain('[secret]');
    }));
  });
});
