const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for the content of an element, or for an attribute between double quotes. */
export const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPED[character]!);
