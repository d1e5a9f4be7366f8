import fc from 'fast-check';
import { readableText } from './readable-text.js';

describe('the readable text of a page', () => {
  it('has a line for each block, and the addresses of links', () => {
    const html = `<!doctype html><html><head><title>x</title><style>a{}</style></head><body>
      <h1>News &amp; more</h1><p>One <b>bold</b>
      text.</p><ul><li>first<li><a href="/second?a=1&amp;b=2">second</a></ul><script>if (a < b) "</p>"</script>
      <a href="javascript:alert(1)">no</a><!-- <p>hidden</p> --><img alt=">" src=x>&#x1F600;&#65; 1 < 2 &bogus;</body>`;
    expect(readableText(html).split('\n')).toEqual([
      'News & more',
      'One bold text.',
      '- first',
      '- second (/second?a=1&b=2)',
      'no😀A 1 < 2 &bogus;',
    ]);
  });

  it('hides the rest after a script that is never closed', () => {
    expect(readableText('<p>a</p><script>secret')).toBe('a');
  });

  it('holds no tag and no script, whatever the page is', () => {
    const bit = fc.constantFrom(
      '<',
      '>',
      '</',
      '<p',
      '<script',
      '</script>',
      '<!--',
      '-->',
      '"',
      "'",
      '=',
      ' a',
      '&lt;',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(bit, fc.string({ maxLength: 5 })), { maxLength: 40 }), (parts) => {
        expect(() => readableText(parts.join(''))).not.toThrow();
        expect(readableText(`${parts.join('').replace(/[<"'=]/g, '')}<script>hidden-text</script>`)).not.toContain(
          'hidden-text',
        );
      }),
    );
  });

  it.each(['<', '<a href="', '<p>', '<!--', '<script>', '&#', "<a href='x'", ' ', '</'])(
    'takes time in proportion to a page of %s',
    (part) => {
      const timeOf = (count: number): number => {
        const page = part.repeat(count);
        const begun = performance.now();
        readableText(page);
        return performance.now() - begun;
      };
      timeOf(1_000);
      expect(timeOf(200_000)).toBeLessThan(1_500);
    },
  );
});
