import fc from 'fast-check';
import { escapeHtml } from './escape-html.js';

describe('escapeHtml', () => {
  it('leaves nothing that begins a tag, ends an attribute or is taken for an entity', () => {
    expect(escapeHtml(`<a href="x" title='y'>&amp;</a>`)).toBe(
      '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;',
    );
  });

  it('can be read back', () => {
    const texts: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
    fc.assert(
      fc.property(
        fc.string({ unit: fc.oneof(fc.constantFrom('&', '<', '>', '"', "'", '#', ';'), fc.string({ maxLength: 3 })) }),
        (text) => {
          const html = escapeHtml(text);
          expect(html).not.toMatch(/[<>"']/);
          expect(html.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => texts[name]!)).toBe(text);
        },
      ),
    );
  });
});
