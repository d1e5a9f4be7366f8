import { createHash } from 'node:crypto';
import { escapeHtml } from '../../../platform/text/escape-html.js';

/** A whole page with its headers. */
export interface Page {
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
}

const STYLE = `
:root{color-scheme:light dark;--line:#8884}
body{font:16px/1.5 system-ui,sans-serif;margin:0;padding:2rem 1rem}
main{max-width:34rem;margin:0 auto}
h1{font-size:1.4rem;line-height:1.3;margin:0 0 1rem}
h2{font-size:1rem;margin:1.5rem 0 .5rem}
dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;margin:0}
dt{opacity:.75}dd{margin:0;overflow-wrap:anywhere}
fieldset{border:1px solid var(--line);border-radius:.5rem;margin:1rem 0;padding:.5rem 1rem}
legend{padding:0 .25rem;font-weight:600}
label{display:block;padding:.2rem 0}
.field{width:100%;box-sizing:border-box;font:inherit;padding:.5rem}
button{font:inherit;padding:.6rem 1.2rem;margin:.5rem .5rem 0 0}
.warn{border-left:4px solid #b45309;padding:.25rem 1rem}
.code{opacity:.75;font-family:monospace}
`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * @param parts trusted HTML: text in it is escaped already.
 * @param formTargets where a form of the page may lead, besides this service.
 */
export function pageOf(title: string, parts: readonly string[], formTargets: readonly string[] = []): Page {
  return {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      // Without a referrer, browsers would not name the origin of the forms of the page either.
      'Referrer-Policy': 'same-origin',
      'X-Frame-Options': 'DENY',
      'X-Robots-Tag': 'noindex',
      'Content-Security-Policy':
        `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'; base-uri 'none'; ` +
        `form-action ${["'self'", ...formTargets].join(' ')}`,
    },
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${parts.join('\n')}
</main>
</body>
</html>
`,
  };
}
