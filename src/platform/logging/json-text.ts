const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** Formats a JSON string. Most texts need only the quotes, and the check for that is much faster than serializing. */
export const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));
