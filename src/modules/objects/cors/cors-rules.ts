import type { CorsRule } from '../persistence/bucket-rows.js';

export const CORS_METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'] as const;

export const MAX_CORS_RULES = 20;
export const MAX_CORS_VALUES = 50;
export const MAX_CORS_AGE_SECONDS = 86_400;

const HEADER = /^[A-Za-z0-9!#$%&'+.^_`|~-]{1,100}$/;
const MAX_ORIGIN = 260;

/** True for `*` and for exact origins, such as `https://shop.example.com:8443`. */
export function isCorsOrigin(text: string): boolean {
  if (text === '*') return true;
  if (text.length > MAX_ORIGIN || !/^https?:\/\/[^*]+$/.test(text) || !URL.canParse(text)) return false;
  return new URL(text).origin === text;
}

/** True for the name of a header. A `*` may stand for its end, where `open` allows it. */
export const isCorsHeader = (text: string, { open }: { open: boolean }): boolean => {
  const name = open && text.endsWith('*') ? text.slice(0, -1) : text;
  return (open && text === '*') || HEADER.test(name);
};

/** Returns what is wrong with rules of an S3 client, as the end of a sentence; undefined for nothing. */
export function faultOfCors(rules: readonly CorsRule[]): string | undefined {
  if (rules.length > MAX_CORS_RULES) return `there can be ${MAX_CORS_RULES} rules`;
  for (const { origins, methods, headers, expose_headers: exposed, max_age_seconds: age } of rules) {
    if (origins.length === 0 || methods.length === 0) return 'every rule needs an origin and a method';
    if ([origins, methods, headers, exposed].some(({ length }) => length > MAX_CORS_VALUES))
      return `a rule can have ${MAX_CORS_VALUES} of each`;
    if (!origins.every(isCorsOrigin)) return 'an origin must be *, or a scheme and host such as https://example.com';
    if (!methods.every((method) => (CORS_METHODS as readonly string[]).includes(method)))
      return `a method must be one of ${CORS_METHODS.join(', ')}`;
    if (!headers.every((name) => isCorsHeader(name, { open: true }))) return 'an allowed header is not a name';
    if (!exposed.every((name) => isCorsHeader(name, { open: false }))) return 'an exposed header is not a name';
    if (!Number.isInteger(age) || age < 0 || age > MAX_CORS_AGE_SECONDS)
      return `the age must be 0 to ${MAX_CORS_AGE_SECONDS} seconds`;
  }
  return undefined;
}
