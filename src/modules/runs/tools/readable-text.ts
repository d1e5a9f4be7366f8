const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  mdash: '—',
  ndash: '–',
  hellip: '…',
  copy: '©',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
  times: '×',
  euro: '€',
  laquo: '«',
  raquo: '»',
};
/** Elements whose content nobody reads. */
const HIDDEN = new Set(['script', 'style', 'noscript', 'template', 'svg', 'head', 'iframe', 'object', 'canvas']);
const BLOCKS = new Set(
  (
    'address article aside blockquote br dd details div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section summary table tbody td tfoot th thead title tr ul'
  ).split(' '),
);
const MAX_HREF_LENGTH = 500;

/**
 * Reduces HTML to its text, with a line for each block, and the address of each link behind it. It reads the page once
 * from the beginning to the end and never goes back, so that no page takes more time than its length.
 */
export function readableText(html: string): string {
  const page = new Page();
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    page.add(html.slice(at, open === -1 ? html.length : open));
    if (open === -1) break;
    at = page.tag(html, open);
  }
  return page.text();
}

class Page {
  private readonly lines: string[] = [];
  private parts: string[] = [];
  private href = '';

  add(raw: string): void {
    if (raw !== '') this.parts.push(decodeEntities(raw));
  }

  text(): string {
    this.endLine();
    return this.lines.join('\n');
  }

  /** Reads what begins with `<` and returns where it ends. */
  tag(html: string, open: number): number {
    if (html.startsWith('<!--', open)) return endOf(html, '-->', open + 4);
    const [, slash = '', letters = ''] = /^<(\/?)([a-zA-Z][a-zA-Z0-9]{0,30})/.exec(html.slice(open, open + 40)) ?? [];
    if (letters === '') {
      if (/^<[!?/]/.test(html.slice(open, open + 2))) return endOf(html, '>', open + 2);
      this.parts.push('<');
      return open + 1;
    }
    const name = letters.toLowerCase();
    const end = endOfTag(html, open + 1);
    if (slash === '' && HIDDEN.has(name)) return this.skip(html, end, name);
    if (BLOCKS.has(name)) this.endLine();
    if (name === 'li' && slash === '') this.parts.push('- ');
    if (name === 'a') this.link(slash, html.slice(open, end));
    return end;
  }

  /** A hidden element that is never closed hides the rest, as in a browser. */
  private skip(html: string, from: number, name: string): number {
    const close = new RegExp(`</${name}[\\s/>]`, 'gi');
    close.lastIndex = from;
    const found = close.exec(html);
    return found === null ? html.length : endOf(html, '>', found.index);
  }

  private link(slash: string, tag: string): void {
    if (slash === '/') {
      if (this.href !== '') this.parts.push(` (${this.href})`);
      this.href = '';
      return;
    }
    const [, double, single] = /\shref\s*=\s*(?:"([^"]{0,2000})"|'([^']{0,2000})')/i.exec(tag.slice(0, 4_000)) ?? [];
    const href = decodeEntities(double ?? single ?? '').trim();
    const isUseful = /^(?:https?:|\/|\.|\w[^:]*$)/i.test(href) && href.length <= MAX_HREF_LENGTH;
    this.href = isUseful ? href : '';
  }

  private endLine(): void {
    const line = this.parts.join('').replace(/\s+/g, ' ').trim();
    this.parts = [];
    if (line !== '' && line !== '-') this.lines.push(line);
  }
}

const endOf = (html: string, mark: string, from: number): number => {
  const at = html.indexOf(mark, from);
  return at === -1 ? html.length : at + mark.length;
};

/** A `>` within quotes does not end a tag. */
function endOfTag(html: string, from: number): number {
  let quote = '';
  for (let at = from; at < html.length; at++) {
    const letter = html[at]!;
    if (quote !== '') quote = letter === quote ? '' : quote;
    else if (letter === '>') return at + 1;
    else if ((letter === '"' || letter === "'") && html[at - 1] === '=') quote = letter;
  }
  return html.length;
}

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name: string | undefined) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = decimal === undefined ? parseInt(hex as string, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : '\ufffd';
  });
