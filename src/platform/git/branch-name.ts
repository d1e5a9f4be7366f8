export const MAX_BRANCH_BYTES = 255;

/** Control characters, and characters that have a meaning in git. */
const FORBIDDEN = /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\p{Cs}/u;

/**
 * True for a valid branch name by the rules of git (`git check-ref-format --branch`). A leading `-` is refused as well,
 * so that no program takes the name for an option.
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
