const MAX_BYTES = 255;

/** Control characters, and what git gives a meaning of its own. */
const FORBIDDEN = /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\p{Cs}/u;

/**
 * Whether git takes it for the name of a branch (`git check-ref-format --branch`). Besides, it never begins with `-`,
 * with which it could be taken for an option.
 */
export function isBranchName(text: string): boolean {
  if (text === '' || text === '@' || text === 'HEAD' || text.startsWith('-') || Buffer.byteLength(text) > MAX_BYTES)
    return false;
  if (FORBIDDEN.test(text) || text.startsWith('/') || text.endsWith('/') || text.endsWith('.')) return false;
  return text.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'));
}
