export const MAX_BRANCH_BYTES = 255;

/** Control characters, and what git gives a meaning of its own. */
const FORBIDDEN = /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\p{Cs}/u;

/**
 * Whether this is a valid name of a branch by the rules of git (`git check-ref-format --branch`). Besides, a name never
 * begins with `-`, so that no program takes it for an option.
 */
export function isBranchName(text: string): boolean {
  if (
    text === '' ||
    text === '@' ||
    text === 'HEAD' ||
    text.startsWith('-') ||
    Buffer.byteLength(text) > MAX_BRANCH_BYTES
  )
    return false;
  if (FORBIDDEN.test(text) || text.startsWith('/') || text.endsWith('/') || text.endsWith('.')) return false;
  return text.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'));
}
