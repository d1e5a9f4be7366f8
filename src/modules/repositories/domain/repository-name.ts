const MAX_LENGTH = 100;
const FORM = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

/**
 * The name is a segment of a URL, and of a path wherever the repository is cloned. Git appends `.git` itself and
 * reserves `.lock`.
 */
export const isRepositoryName = (text: string): boolean =>
  text.length <= MAX_LENGTH && FORM.test(text) && !text.includes('..') && !/\.(?:git|lock)?$/i.test(text);
