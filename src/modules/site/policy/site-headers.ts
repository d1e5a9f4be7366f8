/**
 * What browsers allow the pages of the web app: files of this origin and nothing else. There is no inline script and no
 * inline style, and no string ever becomes markup or code (trusted types).
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "base-uri 'none'",
  "object-src 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** What screens may show from the origins of buckets. Nothing of it runs in the origin of the page. */
const SHOWN_FROM_BUCKETS = ['img-src', 'media-src', 'frame-src'];

/**
 * Returns the policy of the web app itself, whose screens show pictures, films and documents of buckets.
 *
 * @param storageOrigin such as `https://storage.example.com`. Each bucket has a host name below it.
 */
export function appPolicyFor(storageOrigin: string): string {
  const sources = `'self' ${storageOrigin} ${storageOrigin.replace('//', '//*.')}`;
  return [CONTENT_SECURITY_POLICY, ...SHOWN_FROM_BUCKETS.map((kind) => `${kind} ${sources}`)].join('; ');
}

/** Headers of every page and file of the site. */
export const SITE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
};
