import { Injectable } from '@nestjs/common';
import { escapeHtml } from '../../platform/text/escape-html.js';
import { type PageResponse, PublicPages } from '../site/public-pages.js';
import type { Article, Heading } from './markdown.js';
import { DocPages } from './pages/doc-pages.js';

/** A response to a reader, who may prefer Markdown. */
interface ArticleResponse extends PageResponse {
  readonly req: { readonly headers: { readonly accept?: string | undefined } };
}

/** Shows articles with the sidebar of the documentation, its search and a table of contents. */
@Injectable()
export class DocLayout {
  constructor(
    private readonly site: PublicPages,
    private readonly pages: DocPages,
  ) {}

  /**
   * Sends an article as a page, or as it was written to programs that accept `text/markdown`. `address` is the page's
   * own, below `/docs`.
   */
  send(response: ArticleResponse, { title, summary, html, source, headings }: Article, address: string): void {
    response.setHeader('Vary', 'Accept');
    if (/\btext\/markdown\b/i.test(response.req.headers.accept ?? '')) {
      response.setHeader('Content-Type', 'text/markdown; charset=utf-8');
      response.setHeader('Cache-Control', 'no-cache');
      response.end(source);
      return;
    }
    this.sendHtml(response, {
      title,
      summary,
      address: `/docs/${address}`,
      html: `<article class="prose">${html}</article>${contents(headings)}`,
    });
  }

  sendHtml(
    response: PageResponse,
    page: { title: string; summary: string; address: string; html: string; question?: string },
  ): void {
    this.site.send(response, {
      title: `${page.title} · Documentation`,
      description: page.summary,
      place: 'docs',
      kind: 'docs',
      body: `<div class="docs">${this.sidebar(page.address, page.question ?? '')}<main id="main">${page.html}</main>
</div>`,
    });
  }

  private sidebar(current: string, question: string): string {
    // Two entries can lead to parts of one page: the first stands for it.
    const open = this.pages
      .sidebar()
      .flatMap(({ pages }) => pages)
      .find(({ address }) => address.split('#')[0] === current);
    const sections = this.pages.sidebar().map(
      ({ title, pages }) =>
        `<h2>${escapeHtml(title)}</h2><ul>${pages
          .map(({ title: name, address }) => {
            const here = address === open?.address ? ' aria-current="page"' : '';
            return `<li><a href="${escapeHtml(address)}"${here}>${escapeHtml(name)}</a></li>`;
          })
          .join('')}</ul>`,
    );
    return (
      `<div class="side"><form class="search" action="/docs/search" role="search">
<label class="hidden" for="q">Search the documentation</label>` +
      `<input id="q" name="q" type="search" maxlength="100" autocomplete="off" placeholder="Search  /" ` +
      `value="${escapeHtml(question)}">` +
      `<ul id="found" class="found" hidden></ul></form>` +
      `<details class="places"><summary>All pages</summary><nav aria-label="Documentation">${sections.join('')}</nav>
</details></div>`
    );
  }
}

function contents(headings: readonly Heading[]): string {
  const shown = headings.filter(({ depth }) => depth === 2);
  if (shown.length < 3) return '';
  const links = shown.map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`);
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${links.join('')}</ul></nav>`;
}
