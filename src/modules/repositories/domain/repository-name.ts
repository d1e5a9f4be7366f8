const MAX_LENGTH = 100;
const FORM = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

/** A segment of a URL, and of a path wherever it is cloned to: git adds `.git` itself, and `.lock` is its own. */
export const isRepositoryName = (text: string): boolean =>
  text.length <= MAX_LENGTH && FORM.test(text) && !text.includes('..') && !/\.(?:git|lock)?$/i.test(text);
