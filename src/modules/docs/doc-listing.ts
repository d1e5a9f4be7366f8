import { Injectable } from '@nestjs/common';
import { DocPages } from './pages/doc-pages.js';

/** A page in the list of the documentation. */
export interface ListedPage {
  /** Below `/docs`, such as `operations/slo`. */
  readonly address: string;
  readonly title: string;
  readonly about: string;
}

/** What there is to read, for modules that offer it in another form. */
@Injectable()
export class DocListing {
  constructor(private readonly pages: DocPages) {}

  /** The pages that the documentation lists, in its order. */
  listed(): ListedPage[] {
    const found = new Map<string, ListedPage>();
    for (const { address, title, about } of this.pages.sidebar().flatMap(({ pages }) => pages)) {
      const [path = ''] = address.replace(/^\/docs\//, '').split('#');
      if (this.pages.addresses.has(path) && !found.has(path)) found.set(path, { address: path, title, about });
    }
    return [...found.values()];
  }

  /** The addresses of all pages below `/docs`. */
  addresses(): string[] {
    return [...this.pages.addresses.keys()];
  }

  errorCodes(): string[] {
    return this.pages.errorCodes().map(({ code }) => code);
  }
}
