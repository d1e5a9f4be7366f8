import { Injectable } from '@nestjs/common';
import MiniSearch from 'minisearch';
import { DocPages } from './doc-pages.js';

/** Longer questions cost more and find nothing more. */
const MAX_LENGTH = 100;
const MAX_WORDS = 8;
export const MAX_RESULTS = 20;
const EXCERPT_LENGTH = 180;

export interface FoundSection {
  readonly title: string;
  readonly heading: string;
  readonly address: string;
  readonly excerpt: string;
}

interface IndexedSection extends FoundSection {
  readonly id: number;
  readonly text: string;
}

/** Finds sections of the documentation by words. The index is made with the first search and kept. */
@Injectable()
export class DocSearch {
  private index: MiniSearch<IndexedSection> | undefined;
  private readonly sections: IndexedSection[] = [];

  constructor(private readonly pages: DocPages) {}

  find(question: string): FoundSection[] {
    const words = question
      .slice(0, MAX_LENGTH)
      .split(/\s+/)
      .filter((word) => word !== '')
      .slice(0, MAX_WORDS);
    if (words.length === 0) return [];
    this.index ??= this.build();
    return this.index
      .search(words.join(' '), { prefix: true, fuzzy: 0.15, combineWith: 'AND', boost: { title: 3, heading: 2 } })
      .slice(0, MAX_RESULTS)
      .map(({ id }) => this.sections[id as number]!)
      .map(({ title, heading, address, text }) => ({ title, heading, address, excerpt: excerptOf(text, words[0]!) }));
  }

  private build(): MiniSearch<IndexedSection> {
    for (const address of this.pages.addresses.keys()) {
      const { title, sections } = this.pages.article(address);
      for (const { id, heading, text } of sections) {
        const hash = id === '' ? '' : `#${id}`;
        this.sections.push({
          id: this.sections.length,
          title,
          heading,
          text,
          excerpt: '',
          address: `/docs/${address}${hash}`,
        });
      }
    }
    const index = new MiniSearch<IndexedSection>({ fields: ['title', 'heading', 'text'] });
    index.addAll(this.sections);
    return index;
  }
}

/** The text around the first word that was asked for. */
function excerptOf(text: string, word: string): string {
  const near = Math.max(0, text.toLowerCase().indexOf(word.toLowerCase()) - 40);
  // It begins and ends with whole words, where there is a space nearby.
  const at = near === 0 ? 0 : near + text.slice(near, near + 40).search(/\s/) + 1;
  const end = at + EXCERPT_LENGTH;
  const cut = text.slice(at, end).replace(/\s+/g, ' ').trim();
  return `${at > 0 ? '…' : ''}${end < text.length ? `${cut.replace(/\s\S{0,40}$/, '')}…` : cut}`;
}
