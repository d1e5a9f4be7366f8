interface XmlAttribute {
  readonly prefix: string;
  readonly localName: string;
  /** Empty for an attribute without a prefix. */
  readonly namespace: string;
  readonly value: string;
}

/** An element of a document that `readXml` has accepted. */
export class XmlElement {
  readonly children: (XmlElement | string)[] = [];

  readonly prefix: string;
  readonly localName: string;
  /** Empty when the element is in none. */
  readonly namespace: string;
  readonly attributes: readonly XmlAttribute[];

  constructor(
    name: Omit<XmlAttribute, 'value'>,
    attributes: readonly XmlAttribute[],
    readonly parent: XmlElement | undefined,
  ) {
    this.prefix = name.prefix;
    this.localName = name.localName;
    this.namespace = name.namespace;
    this.attributes = attributes;
  }

  get elements(): XmlElement[] {
    return this.children.filter((child) => child instanceof XmlElement);
  }

  /** The text of an element without child elements; undefined for one that has some. */
  get text(): string | undefined {
    const texts = this.children.filter((child) => typeof child === 'string');
    return texts.length === this.children.length ? texts.join('') : undefined;
  }

  is(namespace: string, localName: string): boolean {
    return this.namespace === namespace && this.localName === localName;
  }

  /** The value of an attribute without a prefix. */
  attribute(name: string): string | undefined {
    return this.attributes.find(({ localName, namespace }) => namespace === '' && localName === name)?.value;
  }

  /** The children of that name. Elements with the same name in other namespaces are not among them. */
  all(namespace: string, localName: string): XmlElement[] {
    return this.elements.filter((child) => child.is(namespace, localName));
  }

  /** This element and all below it, in the order of the document. */
  *subtree(): Generator<XmlElement> {
    const open: XmlElement[] = [this];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      yield next;
      open.push(...next.elements.reverse());
    }
  }
}
