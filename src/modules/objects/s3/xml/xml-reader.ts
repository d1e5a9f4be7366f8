import { S3Error } from '../s3-error.js';

/** An element, with either text or children. Attributes and namespaces are not kept. */
export interface XmlElement {
  readonly name: string;
  readonly text: string;
  readonly children: readonly XmlElement[];
}

const MAX_DEPTH = 8;
const MAX_ELEMENTS = 60_000;
const NAME = /[A-Za-z_][\w.-]{0,63}/y;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Reads the XML that S3 clients send: elements and text, with the five entities of XML and numbers. It knows no other
 * entities, no document type, no comments, CDATA or instructions, so that a small document stays small, and each
 * character is looked at once.
 *
 * @throws {S3Error} `MalformedXML`
 */
export function readXml(document: string): XmlElement {
  return new XmlReader(document).read();
}

interface OpenElement {
  readonly name: string;
  readonly children: XmlElement[];
  text: string;
}

class XmlReader {
  private at = 0;
  private elements = 0;

  constructor(private readonly document: string) {}

  read(): XmlElement {
    this.skip('\uFEFF');
    if (this.document.startsWith('<?xml ', this.at)) this.at = this.indexOf('?>') + 2;
    this.skipSpace();
    const root = this.readRoot();
    this.skipSpace();
    if (this.at < this.document.length) throw malformed('something follows the root');
    return root;
  }

  private readRoot(): XmlElement {
    const open: OpenElement[] = [];
    for (;;) {
      if (!this.skip('<')) throw malformed('an element is missing');
      const isEnd = this.skip('/');
      const name = this.readName();
      if (isEnd) {
        this.skipSpace();
        if (!this.skip('>') || open.at(-1)?.name !== name) throw malformed(`</${name}> ends nothing`);
        const done = closed(open.pop()!);
        const parent = open.at(-1);
        if (parent === undefined) return done;
        parent.children.push(done);
      } else if (this.readAttributes()) {
        const parent = open.at(-1);
        if (parent === undefined) return { name, text: '', children: [] };
        parent.children.push({ name, text: '', children: [] });
      } else {
        if (open.length >= MAX_DEPTH) throw malformed('the elements are nested too deeply');
        open.push({ name, children: [], text: '' });
      }
      open.at(-1)!.text += this.readText();
    }
  }

  /** Skips the attributes, and returns true when the element ends with its tag. */
  private readAttributes(): boolean {
    if (++this.elements > MAX_ELEMENTS) throw malformed('there are too many elements');
    for (;;) {
      const hadSpace = this.skipSpace();
      if (this.skip('/>')) return true;
      if (this.skip('>')) return false;
      if (!hadSpace) throw malformed('a tag does not end');
      this.readName();
      if (this.skip(':')) this.readName();
      if (!this.skip('=')) throw malformed('an attribute has no value');
      const quote = this.document[this.at];
      if (quote !== '"' && quote !== "'") throw malformed('an attribute has no value');
      this.at++;
      const end = this.indexOf(quote);
      if (this.document.slice(this.at, end).includes('<')) throw malformed('an attribute does not end');
      this.at = end + 1;
    }
  }

  private readText(): string {
    const end = this.indexOf('<');
    const raw = this.document.slice(this.at, end);
    this.at = end;
    return raw.includes('&') ? unescaped(raw) : raw;
  }

  private readName(): string {
    NAME.lastIndex = this.at;
    const name = NAME.exec(this.document)?.[0];
    if (name === undefined) throw malformed('a name is missing');
    this.at += name.length;
    return name;
  }

  private indexOf(text: string): number {
    const index = this.document.indexOf(text, this.at);
    if (index === -1) throw malformed('it ends too early');
    return index;
  }

  private skip(text: string): boolean {
    if (!this.document.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private skipSpace(): boolean {
    const from = this.at;
    while (' \t\r\n'.includes(this.document[this.at] ?? 'x')) this.at++;
    return this.at > from;
  }
}

function closed({ name, children, text }: OpenElement): XmlElement {
  if (children.length > 0 && text.trim() !== '') throw malformed(`${name} has both text and elements`);
  return { name, children, text: children.length > 0 ? '' : text };
}

function unescaped(raw: string): string {
  let text = '';
  let at = 0;
  for (;;) {
    const from = raw.indexOf('&', at);
    if (from === -1) return text + raw.slice(at);
    const end = raw.indexOf(';', from);
    if (end === -1 || end - from > 10) throw malformed('an entity does not end');
    text += raw.slice(at, from) + characterOf(raw.slice(from + 1, end));
    at = end + 1;
  }
}

function characterOf(entity: string): string {
  const known = Object.hasOwn(ENTITIES, entity) ? ENTITIES[entity] : undefined;
  if (known !== undefined) return known;
  const [, hex, decimal] = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(entity) ?? [];
  const code = hex === undefined ? Number(decimal ?? NaN) : Number.parseInt(hex, 16);
  if (!(code > 0 && code <= 0x10ffff) || (code >= 0xd800 && code <= 0xdfff)) throw malformed('an entity is unknown');
  return String.fromCodePoint(code);
}

const malformed = (why: string): S3Error => new S3Error('MalformedXML', `The XML of the body is malformed: ${why}.`);

/** Returns the children of this name. */
export const all = ({ children }: XmlElement, name: string): XmlElement[] =>
  children.filter((child) => child.name === name);

/** Returns the text of the only child of this name. @throws {S3Error} when there are several. */
export function textOf(element: XmlElement, name: string): string | undefined {
  const found = all(element, name);
  if (found.length > 1) throw malformed(`${name} is there more than once`);
  return found[0]?.text;
}
