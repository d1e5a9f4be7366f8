import { XmlElement } from './xml-element.js';

const MAX_DEPTH = 24;
const MAX_ATTRIBUTES = 32;

const DECLARATION = /^<\?xml[ \n]version=["']1\.0["']([^<>?]{0,60})\?>/;
/** What may follow the version. */
const ENCODING = /^(?:[ \n]encoding=["']([\w-]{1,20})["'])?(?:[ \n]standalone=["']\w{2,3}["'])?[ \n]?$/;
const NOT_A_CHARACTER = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const NAME = /[A-Za-z_][\w.-]{0,99}(?::[A-Za-z_][\w.-]{0,99})?/y;
const SPACE = /[ \t\n]/;
const REFERENCE = /&(?:#(\d{1,7});|#x([\da-fA-F]{1,6});|(lt|gt|amp|quot|apos);)?/g;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';
/** The parser of the SAML library reads the content of such elements by other rules. */
const HTML_NAMESPACE = 'http://www.w3.org/1999/xhtml';

export type XmlFault = 'malformed' | 'doctype' | 'comment' | 'markup' | 'encoding' | 'too_complex';

/** The text is no XML that this service reads. The message repeats nothing of it. */
export class XmlRefused extends Error {
  constructor(readonly fault: XmlFault) {
    super(`The XML is refused: ${fault}.`);
  }
}

export interface XmlRules {
  /** Whether comments are skipped. Otherwise they are refused. */
  readonly allowComments: boolean;
  readonly maxElements: number;
}

/**
 * Reads a document in the small part of XML that SAML needs: elements with ASCII names, attributes, text, and the five
 * predefined entities. Document types, processing instructions and CDATA are refused, and so is all that parsers are
 * known to disagree about, because the library that verifies signatures has a lenient parser of its own. Takes time in
 * proportion to the length of the text, and no stack.
 *
 * @throws {XmlRefused}
 */
export function readXml(text: string, rules: XmlRules): XmlElement {
  return new XmlReader(text.replace(/\r\n?/g, '\n'), rules).read();
}

/** Prefixes that an element declares. A chain, so that no document makes many copies of many declarations. */
interface Scope {
  readonly own: ReadonlyMap<string, string>;
  readonly outer: Scope | undefined;
}

interface RawAttribute {
  readonly prefix: string;
  readonly localName: string;
  readonly value: string;
}

interface OpenElement {
  readonly name: string;
  readonly element: XmlElement;
  readonly scope: Scope;
}

class XmlReader {
  private at = 0;
  private count = 0;
  private root: XmlElement | undefined;
  private readonly open: OpenElement[] = [];

  constructor(
    private readonly source: string,
    private readonly rules: XmlRules,
  ) {}

  read(): XmlElement {
    if (NOT_A_CHARACTER.test(this.source)) throw new XmlRefused('malformed');
    this.skipDeclaration();
    while (this.at < this.source.length) this.step();
    if (this.root === undefined || this.open.length > 0) throw new XmlRefused('malformed');
    return this.root;
  }

  private skipDeclaration(): void {
    const [declaration, rest] = DECLARATION.exec(this.source) ?? ['', ''];
    const found = ENCODING.exec(rest);
    if (found === null) throw new XmlRefused('malformed');
    const [, encoding] = found;
    if (encoding !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(encoding)) throw new XmlRefused('encoding');
    this.at = declaration.length;
  }

  private step(): void {
    const found = this.source.indexOf('<', this.at);
    const next = found === -1 ? this.source.length : found;
    this.takeText(this.source.slice(this.at, next));
    this.at = next;
    const kind = this.source[this.at + 1];
    if (kind === '?') throw new XmlRefused('markup');
    if (kind === '/') this.closeElement();
    else if (kind === '!') this.skipComment();
    else if (found !== -1) this.openElement();
  }

  private takeText(raw: string): void {
    if (raw === '') return;
    const parent = this.open.at(-1)?.element;
    if (parent === undefined ? /[^ \t\n]/.test(raw) : raw.includes(']]>')) throw new XmlRefused('malformed');
    parent?.children.push(textOf(raw));
  }

  private closeElement(): void {
    const closing = this.open.pop();
    // Spaces are legal before ">", and the lenient parser takes `<a></a><a></a >` for something else.
    if (closing === undefined || !this.source.startsWith(`</${closing.name}>`, this.at))
      throw new XmlRefused('malformed');
    this.at += closing.name.length + 3;
  }

  private skipComment(): void {
    if (this.source.startsWith('<![CDATA[', this.at)) throw new XmlRefused('markup');
    if (!this.source.startsWith('<!--', this.at)) throw new XmlRefused('doctype');
    if (!this.rules.allowComments) throw new XmlRefused('comment');
    const end = this.source.indexOf('--', this.at + 4);
    if (end === -1 || this.source[end + 2] !== '>') throw new XmlRefused('malformed');
    this.at = end + 3;
  }

  private openElement(): void {
    const outer = this.open.at(-1);
    if (outer === undefined && this.root !== undefined) throw new XmlRefused('malformed');
    if (++this.count > this.rules.maxElements || this.open.length >= MAX_DEPTH) throw new XmlRefused('too_complex');
    this.at += 1;
    const name = this.takeName();
    const attributes = this.takeAttributes();
    const scope = scopeOf(attributes, outer?.scope);
    const { prefix, localName } = partsOf(name);
    const namespace = namespaceOf(prefix, scope);
    if (namespace === HTML_NAMESPACE) throw new XmlRefused('malformed');
    const element = new XmlElement({ prefix, localName, namespace }, resolved(attributes, scope), outer?.element);
    outer?.element.children.push(element);
    this.root ??= element;
    if (this.source.startsWith('/>', this.at)) this.at += 2;
    else if (this.source[this.at] === '>') {
      this.at += 1;
      this.open.push({ name, element, scope });
    } else throw new XmlRefused('malformed');
  }

  private takeAttributes(): RawAttribute[] {
    const found = new Map<string, RawAttribute>();
    while (this.skipSpace() && /[A-Za-z_]/.test(this.source[this.at] ?? '')) {
      const name = this.takeName();
      if (found.has(name)) throw new XmlRefused('malformed');
      if (found.size >= MAX_ATTRIBUTES) throw new XmlRefused('too_complex');
      found.set(name, { ...partsOf(name), value: this.takeValue() });
    }
    return [...found.values()];
  }

  private takeValue(): string {
    const quote = this.source[this.at + 1] ?? '';
    const end = this.source.indexOf(quote, this.at + 2);
    if (this.source[this.at] !== '=' || !/["']/.test(quote) || end === -1) throw new XmlRefused('malformed');
    const raw = this.source.slice(this.at + 2, end);
    if (raw.includes('<')) throw new XmlRefused('malformed');
    this.at = end + 1;
    return textOf(raw.replace(/[\t\n]/g, ' '));
  }

  private skipSpace(): boolean {
    const start = this.at;
    while (SPACE.test(this.source[this.at] ?? '')) this.at += 1;
    return this.at > start;
  }

  private takeName(): string {
    NAME.lastIndex = this.at;
    const [name] = NAME.exec(this.source) ?? [];
    if (name === undefined) throw new XmlRefused('malformed');
    this.at += name.length;
    return name;
  }
}

function partsOf(name: string): { prefix: string; localName: string } {
  const colon = name.indexOf(':');
  return { prefix: colon === -1 ? '' : name.slice(0, colon), localName: name.slice(colon + 1) };
}

const isDeclaration = ({ prefix, localName }: RawAttribute): boolean =>
  prefix === 'xmlns' || (prefix === '' && localName === 'xmlns');

function scopeOf(attributes: readonly RawAttribute[], outer: Scope | undefined): Scope {
  const own = new Map<string, string>();
  for (const declaration of attributes.filter(isDeclaration)) {
    const { prefix, localName, value } = declaration;
    const name = prefix === '' ? '' : localName;
    // Only the default namespace can be taken back. The two prefixes of XML itself belong to it.
    if (name === 'xml' || name === 'xmlns' || (name !== '' && value === '')) throw new XmlRefused('malformed');
    own.set(name, value);
  }
  return own.size === 0 && outer !== undefined ? outer : { own, outer };
}

function namespaceOf(prefix: string, scope: Scope): string {
  if (prefix === 'xml') return XML_NAMESPACE;
  for (let each: Scope | undefined = scope; each !== undefined; each = each.outer) {
    const found = each.own.get(prefix);
    if (found !== undefined) return found;
  }
  if (prefix !== '') throw new XmlRefused('malformed');
  return '';
}

function resolved(attributes: readonly RawAttribute[], scope: Scope): XmlElement['attributes'] {
  const names = new Set<string>();
  return attributes
    .filter((each) => !isDeclaration(each))
    .map(({ prefix, localName, value }) => {
      const namespace = prefix === '' ? '' : namespaceOf(prefix, scope);
      const name = `${namespace} ${localName}`;
      if (names.has(name)) throw new XmlRefused('malformed');
      names.add(name);
      return { prefix, localName, namespace, value };
    });
}

/** Text with its references replaced. */
function textOf(raw: string): string {
  return raw.replace(REFERENCE, (_, decimal?: string, hexadecimal?: string, entity?: string) => {
    if (entity !== undefined) return ENTITIES[entity]!;
    const digits = decimal ?? hexadecimal;
    const code = digits === undefined ? -1 : parseInt(digits, decimal === undefined ? 16 : 10);
    if (code < 0 || code > 0x10ffff) throw new XmlRefused('malformed');
    const character = String.fromCodePoint(code);
    if (NOT_A_CHARACTER.test(character)) throw new XmlRefused('malformed');
    return character;
  });
}
