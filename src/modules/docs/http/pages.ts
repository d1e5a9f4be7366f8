import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { ErrorCatalog } from '../../../platform/errors/error-catalog.js';
import { PROJECT_ROOT } from '../../../platform/version.js';
import { PageNotFound } from '../docs.errors.js';
import { markdownPage } from '../markdown-page.js';

/** Serves the Markdown pages in `docs/` as HTML. */
@Injectable()
export class Pages {
  private readonly rendered = new Map<string, string>();

  constructor(private readonly errors: ErrorCatalog) {}

  /**
   * Only declared error codes ever become part of a path.
   *
   * @throws {PageNotFound} `page_not_found`
   */
  error(code: string): string {
    if (!this.errors.has(code)) throw new PageNotFound();
    return this.render(`errors/${code}.md`, code);
  }

  plans(): string {
    return this.render('plans.md', 'Plans');
  }

  /** The pages that messages of builds lead to. */
  builds(): string {
    return this.render('builds.md', 'Builds');
  }

  frameworks(): string {
    return this.render('frameworks.md', 'Frameworks');
  }

  private render(file: string, title: string): string {
    let html = this.rendered.get(file);
    if (html === undefined) {
      html = markdownPage(readFileSync(join(PROJECT_ROOT, 'docs', file), 'utf8'), title);
      this.rendered.set(file, html);
    }
    return html;
  }
}
