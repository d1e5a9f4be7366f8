import { marked } from 'marked';

const STYLE =
  'body{font:16px/1.6 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem;color:#1a1a1a}' +
  'code,pre{font-family:ui-monospace,monospace;background:#f4f4f5;border-radius:4px}' +
  'code{padding:.1em .3em}pre{padding:1rem;overflow:auto}' +
  'pre code{padding:0}table{border-collapse:collapse}' +
  'td,th{border:1px solid #d4d4d8;padding:.4rem .7rem;text-align:left}' +
  '@media(prefers-color-scheme:dark){body{background:#18181b;color:#e4e4e7}' +
  'code,pre{background:#27272a}td,th{border-color:#3f3f46}a{color:#93c5fd}}';

/** Renders trusted Markdown as an HTML page. It does not escape: never pass it text from a caller. */
export function markdownPage(markdown: string, title: string): string {
  const body = marked.parse(markdown, { async: false });
  return (
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${title}</title>` +
    `<style>${STYLE}</style>${body}<p><a href="/docs">API reference</a></p></html>`
  );
}
