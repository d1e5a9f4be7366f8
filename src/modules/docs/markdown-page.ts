import { Marked } from 'marked';

const STYLE =
  'body{font:16px/1.6 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem;color:#1a1a1a}' +
  'code,pre{font-family:ui-monospace,monospace;background:#f4f4f5;border-radius:4px}' +
  'code{padding:.1em .3em}pre{padding:1rem;overflow:auto}' +
  'pre code{padding:0}table{border-collapse:collapse}' +
  'td,th{border:1px solid #d4d4d8;padding:.4rem .7rem;text-align:left}' +
  '@media(prefers-color-scheme:dark){body{background:#18181b;color:#e4e4e7}' +
  'code,pre{background:#27272a}td,th{border-color:#3f3f46}a{color:#93c5fd}}';

/** Pages that the service shows, by their files. Links to other files are shown as text. */
const SHOWN = /^(?:\.\/)?(plans|builds|frameworks|errors\/\w+)\.md(#[\w-]+)?$/;
const ELSEWHERE = /^(?:[a-z]+:|#|\/)/;

const marked = new Marked({
  renderer: {
    /** Headings can be linked to, as on GitHub. */
    heading({ tokens, depth, text }) {
      return `<h${depth}${depth === 1 ? '' : ` id="${idOf(text)}"`}>${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      const [, page, anchor = ''] = SHOWN.exec(href) ?? [];
      if (page !== undefined) return `<a href="/docs/${page}${anchor}">${text}</a>`;
      return ELSEWHERE.test(href) ? `<a href="${href}">${text}</a>` : text;
    },
  },
});

const idOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s/g, '-');

/** Renders trusted Markdown as an HTML page. It does not escape: never pass it text from a caller. */
export function markdownPage(markdown: string, title: string): string {
  const body = marked.parse(markdown, { async: false });
  return (
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${title}</title>` +
    `<style>${STYLE}</style>${body}<p><a href="/docs">API reference</a></p></html>`
  );
}
