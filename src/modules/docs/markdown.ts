import { Marked } from 'marked';
import { escapeHtml } from '../../platform/text/escape-html.js';

/** A heading below the title of a page. */
export interface Heading {
  readonly id: string;
  readonly text: string;
  readonly depth: number;
}

/** A page as HTML, without what stands around it. */
export interface Article {
  readonly title: string;
  /** The first paragraph as text. */
  readonly summary: string;
  readonly html: string;
  /** The Markdown that it was rendered from. */
  readonly source: string;
  readonly headings: readonly Heading[];
  /** The text below each heading, the one above the first heading included. It is what a search reads. */
  readonly sections: readonly ArticleSection[];
}

interface ArticleSection {
  /** The heading that it stands below; empty above the first one. */
  readonly id: string;
  readonly heading: string;
  readonly text: string;
}

interface MutableSection {
  id: string;
  heading: string;
  text: string;
}

/** Returns the address of what a link leads to or of a picture, or undefined when the text is shown instead. */
export type ResolveLink = (href: string) => string | undefined;

const EXTERNAL = /^(?:https?:|mailto:|\/)/;

/** Returns the address of the picture of a Mermaid diagram, or undefined when its source is shown instead. */
type DiagramPicture = (source: string) => string | undefined;

/** Renders trusted Markdown. HTML in it is not escaped: never pass it text from a caller. */
export function renderMarkdown(
  markdown: string,
  resolve: ResolveLink = () => undefined,
  diagramOf: DiagramPicture = () => undefined,
): Article {
  const headings: Heading[] = [];
  const ids = new Map<string, number>();
  const idOf = (text: string): string => {
    const id = slugOf(text);
    const seen = ids.get(id) ?? 0;
    ids.set(id, seen + 1);
    return seen === 0 ? id : `${id}-${seen}`;
  };
  let title = '';
  let tables = 0;
  let summary = '';
  let section: MutableSection = { id: '', heading: '', text: '' };
  const sections = [section];

  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens);
        const text = plainText(html);
        if (depth === 1) {
          title ||= text;
          return `<h1>${html}</h1>\n`;
        }
        const id = idOf(text);
        headings.push({ id, text, depth });
        sections.push((section = { id, heading: text, text: '' }));
        const anchor = `<a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(text)}">#</a>`;
        return `<h${depth} id="${id}">${anchor}${html}</h${depth}>\n`;
      },
      paragraph({ tokens }) {
        const html = this.parser.parseInline(tokens);
        const text = plainText(html);
        if (summary === '') summary = text;
        section.text += `${text}\n`;
        return `<p>${html}</p>\n`;
      },
      listitem(item) {
        const html = this.parser.parse(item.tokens);
        section.text += `${plainText(html)}\n`;
        return `<li>${html}</li>\n`;
      },
      code({ text, lang = '' }) {
        const name = /^\w+/.exec(lang)?.[0];
        const label = name === undefined ? '' : ` data-language="${name}"`;
        section.text += `${text.slice(0, 500)}\n`;
        const picture = name === 'mermaid' ? diagramOf(text) : undefined;
        if (picture !== undefined) return diagram(picture, text);
        return `<pre tabindex="0"${label}><code>${escapeHtml(text)}\n</code></pre>\n`;
      },
      table({ header, rows }) {
        const cells = (row: typeof header, tag: string): string =>
          `<tr>${row
            .map(({ text, tokens }) => {
              // A heading of nothing is none.
              const cell = text === '' ? 'td' : tag;
              return `<${cell}>${this.parser.parseInline(tokens)}</${cell}>`;
            })
            .join('')}</tr>`;
        const head = header.every(({ text }) => text === '') ? '' : `<thead>${cells(header, 'th')}</thead>`;
        const html = `${head}<tbody>${rows.map((row) => cells(row, 'td')).join('')}</tbody>`;
        section.text += `${plainText(html.replaceAll('</tr>', '\n').replaceAll('</td>', ' '))}\n`;
        return `<div class="table" tabindex="0" role="region" aria-label="Table ${++tables}"><table>${html}</table>
</div>\n`;
      },
      image({ href, text }) {
        const address = EXTERNAL.test(href) ? href : resolve(href);
        if (address === undefined) return escapeHtml(text);
        return `<img src="${escapeHtml(address)}" alt="${escapeHtml(text)}" loading="lazy">`;
      },
      link({ href, tokens }) {
        const html = this.parser.parseInline(tokens);
        const address = EXTERNAL.test(href) ? href : resolve(href);
        return address === undefined ? html : `<a href="${escapeHtml(address)}">${html}</a>`;
      },
    },
  });
  const html = marked.parse(markdown, { async: false });
  return { title, summary, html, source: markdown, headings, sections };
}

/** The source says in words what the picture shows. */
const diagram = (address: string, source: string): string =>
  `<figure class="diagram"><img src="${escapeHtml(address)}" alt="Diagram. Its text follows." loading="lazy">
<details><summary>Diagram as text</summary><pre tabindex="0"><code>${escapeHtml(source)}\n</code></pre></details>
</figure>\n`;

/** The id of a heading, as on GitHub. */
const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s/g, '-');

const TEXT_OF_ENTITY: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

const plainText = (html: string): string =>
  html.replace(/<[^>]{0,1000}>/g, '').replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => TEXT_OF_ENTITY[name]!);
