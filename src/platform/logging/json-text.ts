const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** As JSON has it; most texts need nothing but the quotes, and to see that is a fraction of writing them anew. */
export const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));
