const MAX_LENGTH = 1_000;
/** Programs on the machine of the person listen here. A name such as `localhost` may lead elsewhere (RFC 8252, 8.3). */
const LOOPBACK = new Set(['127.0.0.1', '[::1]']);

/**
 * Returns the normalized URL if a sign-in may return there: a page of one of the origins, or a program on the machine
 * of the person. Undefined for everything else, so that no link to a sign-in leads to another site.
 */
export function returnPlaceOf(text: string, origins: readonly string[]): string | undefined {
  // Browsers and parsers disagree on backslashes, and drop tabs and line breaks.
  if (text.length > MAX_LENGTH || !/^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/.test(text) || !URL.canParse(text))
    return undefined;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || text.includes('#')) return undefined;
  const isLoopback = url.protocol === 'http:' && LOOPBACK.has(url.hostname);
  return isLoopback || origins.includes(url.origin) ? url.href : undefined;
}

/** Adds the result of a sign-in to the address that it returns to, in place of a parameter of the same name. */
export function withResult(place: string, name: 'code' | 'error', value: string): string {
  const url = new URL(place);
  url.searchParams.delete('code');
  url.searchParams.delete('error');
  url.searchParams.set(name, value);
  return url.href;
}
