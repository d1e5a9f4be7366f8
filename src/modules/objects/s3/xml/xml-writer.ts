/** What an element contains: text, elements in their order, or nothing. Undefined elements are left out. */
export type XmlContent =
  string | number | boolean | readonly (readonly [name: string, content: XmlContent] | undefined)[];

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

/** Writes a document with the namespace of S3. */
export const writeXml = (name: string, content: XmlContent): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns="${NAMESPACE}">${written(content)}</${name}>`;

/** Errors have no namespace. */
export const writeErrorXml = (content: XmlContent): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${written(content)}</Error>`;

function written(content: XmlContent): string {
  if (typeof content !== 'object') return escaped(String(content));
  let text = '';
  for (const each of content) if (each !== undefined) text += `<${each[0]}>${written(each[1])}</${each[0]}>`;
  return text;
}

/** Control characters have no place in XML, but keys may have them, and S3 writes them as numbers, too. */
const escaped = (text: string): string =>
  text.replace(/[<>&"'\u0000-\u001f\u007f\ufffe\uffff]/g, (letter) => `&#${letter.charCodeAt(0)};`);
