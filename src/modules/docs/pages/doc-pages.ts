import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { ErrorDefinition } from '../../../platform/errors/define-errors.js';
import { ErrorCatalog } from '../../../platform/errors/error-catalog.js';
import { PROJECT_ROOT } from '../../../platform/version.js';
import { PageNotFound } from '../../site/site.errors.js';
import { type Article, renderMarkdown } from '../markdown.js';
import { DocPictures } from './doc-pictures.js';
import { listPages, pageAddress } from './page-list.js';

/** The page that lists all others, whose tables are the sidebar. */
const HOME = 'docs/README.md';

export interface SidebarSection {
  readonly title: string;
  readonly pages: readonly { readonly title: string; readonly address: string; readonly about: string }[];
}

/** The Markdown pages of the documentation, rendered when they are first asked for. */
@Injectable()
export class DocPages {
  readonly addresses: ReadonlyMap<string, string> = listPages();
  private readonly rendered = new Map<string, Article>();
  private sections: readonly SidebarSection[] | undefined;

  constructor(
    private readonly errors: ErrorCatalog,
    private readonly pictures: DocPictures,
  ) {}

  /**
   * Returns a page by its address below `/docs`, such as `operations/slo`.
   *
   * @throws {PageNotFound} `page_not_found`
   */
  article(address: string): Article {
    const file = this.addresses.get(address);
    if (file === undefined) throw new PageNotFound();
    return this.render(file);
  }

  /** @throws {PageNotFound} `page_not_found` when no error has the code */
  error(code: string): Article {
    if (!this.errors.has(code)) throw new PageNotFound();
    return this.article(`errors/${code}`);
  }

  errorCodes(): readonly ErrorDefinition[] {
    return this.errors.definitions;
  }

  /** The pages by section, as the page that lists them has it. */
  sidebar(): readonly SidebarSection[] {
    return (this.sections ??= sectionsOf(read(HOME), (href) => pageAddress(this.addresses, HOME, href)));
  }

  private render(file: string): Article {
    let article = this.rendered.get(file);
    if (article === undefined) {
      article = renderMarkdown(
        read(file),
        (href) => pageAddress(this.addresses, file, href) ?? this.pictures.addressOf(file, href),
        (source) => this.pictures.addressOfDiagram(source),
      );
      this.rendered.set(file, article);
    }
    return article;
  }
}

const read = (file: string): string => readFileSync(join(PROJECT_ROOT, file), 'utf8');

const LINK = /\[([^[\]]{1,100})\]\(([^()]{1,200})\)/g;

/** Reads sections and their tables: `| [Title](file.md) | What it is about |`. */
function sectionsOf(markdown: string, resolve: (href: string) => string | undefined): SidebarSection[] {
  const [, ...parts] = markdown.split(/^## /m);
  return parts.map((part) => {
    const [title = '', ...lines] = part.split('\n');
    const rows = lines.filter((line) => line.startsWith('| ['));
    return {
      title,
      pages: rows.flatMap((row) => {
        const about = row.split('|')[2]?.trim().replaceAll('`', '') ?? '';
        return [...row.matchAll(LINK)].flatMap(([, name, href]) => {
          const address = resolve(href!);
          return address === undefined ? [] : [{ title: capitalized(name!), address, about }];
        });
      }),
    };
  });
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
