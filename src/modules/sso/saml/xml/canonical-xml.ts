import type { XmlElement } from './xml-element.js';

const IN_TEXT: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#xD;' };
const IN_ATTRIBUTE: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};

/** The exclusive canonical form of an element, without prefixes that are kept though nothing uses them. */
export function canonicalXml(element: XmlElement): string {
  return written(element, new Map([['', '']]));
}

/** The elements are few levels deep: `readXml` sees to that. */
function written(element: XmlElement, declared: ReadonlyMap<string, string>): string {
  const used = new Map(
    [element, ...element.attributes.filter(({ prefix }) => prefix !== '' && prefix !== 'xml')].map(
      ({ prefix, namespace }) => [prefix, namespace],
    ),
  );
  const added = [...used].filter(([prefix, namespace]) => declared.get(prefix) !== namespace).sort(byFirst);
  const attributes = element.attributes
    .map((attribute) => [attribute.namespace, attribute.localName, attribute] as const)
    .sort((one, other) => byFirst(one, other) || byFirst([one[1]], [other[1]]));
  const name = qualified(element);
  const content = [
    ...added.map(([prefix, namespace]) => ` xmlns${prefix === '' ? '' : ':'}${prefix}="${attributeOf(namespace)}"`),
    ...attributes.map(([, , attribute]) => ` ${qualified(attribute)}="${attributeOf(attribute.value)}"`),
    '>',
  ];
  const inner = new Map([...declared, ...added]);
  for (const child of element.children) content.push(typeof child === 'string' ? textOf(child) : written(child, inner));
  return `<${name}${content.join('')}</${name}>`;
}

const qualified = ({ prefix, localName }: { prefix: string; localName: string }): string =>
  prefix === '' ? localName : `${prefix}:${localName}`;

const byFirst = ([one]: readonly [string, ...unknown[]], [other]: readonly [string, ...unknown[]]): number =>
  one < other ? -1 : Number(one > other);

const textOf = (text: string): string => text.replace(/[&<>\r]/g, (character) => IN_TEXT[character]!);
const attributeOf = (text: string): string => text.replace(/[&<"\t\n\r]/g, (character) => IN_ATTRIBUTE[character]!);
