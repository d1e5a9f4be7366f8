import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { marked } from 'marked';
import { ERROR_CODES } from '../../../platform/errors/error-codes.js';
import { PROJECT_ROOT } from '../../../platform/version.js';
import { PageNotFound } from '../docs.errors.js';

const STYLE = 'body{font:16px/1.6 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem;color:#1a1a1a}'
  + 'code,pre{font-family:ui-monospace,monospace;background:#f4f4f5;border-radius:4px}code{padding:.1em .3em}pre{padding:1rem;overflow:auto}'
  + 'pre code{padding:0}table{border-collapse:collapse}td,th{border:1px solid #d4d4d8;padding:.4rem .7rem;text-align:left}'
  + '@media(prefers-color-scheme:dark){body{background:#18181b;color:#e4e4e7}code,pre{background:#27272a}td,th{border-color:#3f3f46}a{color:#93c5fd}}';

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
      const body = marked.parse(readFileSync(join(PROJECT_ROOT, 'docs', file), 'utf8'), { async: false });
      html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>`
        + `<style>${STYLE}</style>${body}<p><a href="/docs">API reference</a></p></html>`;
      this.rendered.set(file, html);
    }
    return html;
  }
}
