/** Some of these addresses end in a secret, because the programs that call them send no headers. */
const SECRET_PATHS = /^(\/webhooks\/[^/]*\/[^/]*\/).+/;
/** A secret in any other path was mistyped or encoded. It still opens what it opens. */
const SECRET = /(svc(?:_|%5f)[a-z]+(?:_|%5f))[^/]+/gi;
const MASK = '***';

/** Returns the path as logs and messages may show it, without the secrets of the service. */
export function maskedPath(path: string): string {
  if (path.startsWith('/webhooks/')) path = path.replace(SECRET_PATHS, `$1${MASK}`);
  return path.includes('svc') || path.includes('SVC') ? path.replace(SECRET, `$1${MASK}`) : path;
}
