import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { ERROR_CODES } from '../../../platform/errors/error-codes.js';
import { PROJECT_ROOT } from '../../../platform/version.js';
import { PageNotFound } from '../docs.errors.js';
import { markdownPage } from '../markdown-page.js';

/** Pages for people, from the Markdown in `docs/`. */
@Injectable()
export class Pages {
  private readonly rendered = new Map<string, string>();

  /** @throws {PageNotFound} for a code that is not in the registry: no other name ever becomes a path. */
  error(code: string): string {
    if (!Object.hasOwn(ERROR_CODES, code)) throw new PageNotFound();
    return this.render(`errors/${code}.md`, code);
  }

  plans(): string {
    return this.render('plans.md', 'Plans');
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
