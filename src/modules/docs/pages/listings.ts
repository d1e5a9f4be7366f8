import { escapeHtml } from '../../../platform/text/escape-html.js';
import type { SidebarSection } from './doc-pages.js';
import { type FoundSection, MAX_RESULTS } from './doc-search.js';

interface Listing {
  readonly title: string;
  readonly summary: string;
  readonly address: string;
  readonly html: string;
  readonly question?: string;
}

/** An error code with the title that its answers have. */
export interface ListedError {
  readonly code: string;
  readonly status: number;
  readonly title: string;
}

export function home(sections: readonly SidebarSection[]): Listing {
  const cards = sections.map(
    ({ title, pages }) =>
      `<section><h2>${escapeHtml(title)}</h2><ul class="cards">${pages
        .map(
          (page) =>
            `<li><a href="${escapeHtml(page.address)}"><strong>${escapeHtml(page.title)}</strong>
<span>${escapeHtml(page.about)}</span></a></li>`,
        )
        .join('')}</ul></section>`,
  );
  return {
    title: 'Documentation',
    summary: 'Run, deploy to, call and operate the service.',
    address: '/docs',
    html: `<article class="prose wide"><h1>Documentation</h1>${cards.join('')}</article>`,
  };
}

export function errorIndex(errors: readonly ListedError[]): Listing {
  const rows = errors.map(
    ({ code, status, title }) =>
      `<tr><td><a href="/docs/errors/${code}"><code>${code}</code></a></td><td>${status}</td>
<td>${escapeHtml(title)}</td></tr>`,
  );
  return {
    title: 'Errors',
    summary: 'Every error code, what it means and what to do.',
    address: '/docs/errors',
    html:
      `<article class="prose wide"><h1>Errors</h1>
<p>Each answer that failed has a <code>code</code>, a message, a hint and the ` +
      `id of the request. The page of a code says what to do.</p>
<div class="table" tabindex="0" role="region" aria-label="Table"><table>` +
      `<thead><tr><th>Code</th><th>Status</th><th>Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>
</div></article>`,
  };
}

export function searchResults(question: string, found: readonly FoundSection[]): Listing {
  const shown = question.slice(0, 100);
  const results = found.map(
    ({ title, heading, address, excerpt }) =>
      `<li><a href="${escapeHtml(address)}">
<strong>${escapeHtml(heading === '' ? title : `${title}: ${heading}`)}</strong></a>` +
      `<p>${escapeHtml(excerpt)}</p></li>`,
  );
  const said =
    shown === ''
      ? 'Enter a word to search for.'
      : found.length === 0
        ? `Nothing has all words of “${shown}”. Try fewer or other words.`
        : `${counted(found.length)} with “${shown}”.`;
  return {
    title: 'Search',
    summary: 'Search in the documentation.',
    address: '/docs/search',
    question: shown,
    html: `<article class="prose wide"><h1>Search</h1><p>${escapeHtml(said)}</p>
<ol class="results">${results.join('')}</ol></article>`,
  };
}

function counted(sections: number): string {
  if (sections === MAX_RESULTS) return `The first ${sections} sections`;
  return sections === 1 ? '1 section' : `${sections} sections`;
}
