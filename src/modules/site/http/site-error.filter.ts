import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../../../platform/config/config.js';
import type { DomainError } from '../../../platform/errors/domain-error.js';
import { ErrorFilter } from '../../../platform/http/error.filter.js';
import { ErrorReports } from '../../../platform/http/error-reports.js';
import { FailureHeaders } from '../../../platform/http/failure-headers.js';
import { stateOf } from '../../../platform/http/request-state.js';
import { UnknownRoutes } from '../../../platform/http/unknown-routes.js';
import { escapeHtml } from '../../../platform/text/escape-html.js';
import { PublicPages } from '../public-pages.js';
import { SITE_HEADERS } from '../policy/site-headers.js';

/** Shows errors as pages to browsers that asked for a page. Programs, and all of the API, get them as JSON. */
@Injectable()
export class SiteErrorFilter extends ErrorFilter {
  constructor(
    private readonly settings: Config,
    private readonly pages: PublicPages,
    reports: ErrorReports,
    headers: FailureHeaders,
    unknownRoutes: UnknownRoutes,
  ) {
    super(settings, reports, headers, unknownRoutes);
  }

  protected override bodyOf(
    error: DomainError,
    request: Request,
    response: Response,
  ): { contentType: string; text: string } {
    if (!isForPeople(request)) return super.bodyOf(error, request, response);
    for (const [name, value] of Object.entries(SITE_HEADERS)) response.setHeader(name, value);
    return { contentType: 'text/html; charset=utf-8', text: this.pages.render(this.pageOf(error, request)) };
  }

  private pageOf(
    { code, status, message, help, definition }: DomainError,
    request: Request,
  ): Parameters<PublicPages['render']>[0] {
    const isUnknown = status === 404;
    const title = isUnknown ? 'Page not found' : definition.title.replace(/\.$/, '');
    const hint = isUnknown
      ? 'The address may be mistyped, or the page may have moved.'
      : [message, help.hint].filter((text) => text !== undefined).join(' ');
    return {
      title,
      description: title,
      kind: 'plain',
      body:
        `<main id="main"><h1>${escapeHtml(title)}</h1><p class="lead">${escapeHtml(hint)}</p>` +
        `<p class="actions"><a class="button" href="/">Start page</a>
<a class="button quiet" href="/docs">Documentation</a></p>` +
        `<p><small>Error <a href="${escapeHtml(this.settings.docsUrl)}/errors/${escapeHtml(code)}">
<code>${escapeHtml(code)}</code></a>, ` +
        `request <code>${escapeHtml(stateOf(request).requestId)}</code></small></p></main>`,
    };
  }
}

/** A browser that opens an address names HTML first; programs accept anything or JSON. */
function isForPeople({ method, path, headers }: Request): boolean {
  return (
    (method === 'GET' || method === 'HEAD') && !path.startsWith('/api/') && /^text\/html\b/.test(headers.accept ?? '')
  );
}
