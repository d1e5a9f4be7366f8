import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { PROJECT_ROOT } from '../../platform/version.js';
import { escapeHtml } from '../../platform/text/escape-html.js';
import { SITE_HEADERS } from './policy/site-headers.js';

const MANIFEST = join(PROJECT_ROOT, 'dist/web/.vite/manifest.json');
const ENTRY = 'src/site/site.ts';

/** What stands on a page; the header, the navigation and the footer come with it. */
export interface PublicPage {
  readonly title: string;
  /** What search engines and previews of links show. */
  readonly description: string;
  /** Trusted HTML: text in it is escaped already. */
  readonly body: string;
  /** The entry of the navigation that the page belongs to. */
  readonly place?: 'pricing' | 'docs' | 'status';
  /** A class of the page, for its styles. */
  readonly kind: 'landing' | 'plain' | 'docs';
}

/** The part of a response that a page needs. */
export interface PageResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text: string): unknown;
}

interface Assets {
  readonly script: string | undefined;
  readonly styles: readonly string[];
}

/** Renders the pages that need no account. They are whole without scripts and without the built web app. */
@Injectable()
export class PublicPages {
  private assets: Assets | undefined;

  render({ title, description, body, place, kind }: PublicPage): string {
    const { script, styles } = (this.assets ??= readAssets());
    const link = (to: string, text: string, at?: string): string =>
      `<a href="${to}"${at !== undefined && at === place ? ' aria-current="page"' : ''}>${text}</a>`;
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(description.slice(0, 200))}">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="/site/mark.svg" type="image/svg+xml">
<script src="/site/theme.js"></script>
${styles.map((href) => `<link rel="stylesheet" href="${href}">`).join('\n')}
${script === undefined ? '' : `<script type="module" src="${script}"></script>`}
</head>
<body class="page-${kind}">
<a class="skip" href="#main">Skip to content</a>
<header class="top"><a class="brand" href="/"><img src="/site/mark.svg" alt="" width="22" height="22">Service</a>
<nav aria-label="Main">
${link('/pricing', 'Pricing', 'pricing')}
${link('/docs', 'Docs', 'docs')}
${link('/status', 'Status', 'status')}
<button type="button" class="theme" id="theme" hidden>Dark</button>
<a class="enter" href="/app">Sign in</a></nav></header>
${body}
<footer class="bottom"><nav aria-label="More"><a href="/docs/start">Get started</a>
<a href="/docs/api">API reference</a><a href="/docs/cli">Command line</a><a href="/docs/errors">Errors</a>
<a href="/docs/security">Security</a><a href="/docs/changelog">Changelog</a></nav></footer>
</body>
</html>
`;
  }

  /** Renders a page and sends it, with what browsers are allowed to do on it. */
  send(response: PageResponse, page: PublicPage, status = 200): void {
    for (const [name, value] of Object.entries(SITE_HEADERS)) response.setHeader(name, value);
    response.statusCode = status;
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.setHeader('Cache-Control', 'no-cache');
    response.end(this.render(page));
  }
}

/** The addresses of the script and the styles, which have hashes of their contents in their names. */
function readAssets(): Assets {
  let manifest: Readonly<Record<string, { file: string; css?: readonly string[] }>>;
  try {
    manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as typeof manifest;
  } catch {
    // Without a build of the web app the pages are plain, and still whole.
    return { script: undefined, styles: [] };
  }
  const entry = manifest[ENTRY];
  return {
    script: entry === undefined ? undefined : `/${entry.file}`,
    styles: (entry?.css ?? []).map((file) => `/${file}`),
  };
}
