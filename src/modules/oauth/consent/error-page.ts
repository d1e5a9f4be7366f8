import { escapeHtml } from '../../../platform/text/escape-html.js';
import { type Page, pageOf } from './page.js';

/** The page for a request that cannot be sent back to its client, because the client itself is in doubt. */
export function errorPage(code: string, description = 'The request cannot be answered.'): Page {
  return pageOf('This request cannot be answered', [
    `<p>${escapeHtml(description)}</p>`,
    '<p>Go back to the application and connect it again. If it happens again, tell those who make it.</p>',
    `<p class="code">${escapeHtml(code)}</p>`,
  ]);
}
