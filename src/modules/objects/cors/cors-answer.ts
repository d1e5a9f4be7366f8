import type { CorsRule } from '../persistence/bucket-rows.js';

/** What a page of another origin asks for. */
export interface CorsRequest {
  readonly origin: string;
  readonly method: string;
  /** The names of headers that a preflight asks for, in lower case. */
  readonly headers: readonly string[];
}

const MAX_REQUESTED_HEADERS = 100;

/** Reads `Access-Control-Request-Headers`. Returns undefined for a list that is too long to be one. */
export function requestedHeadersOf(header: string | undefined): readonly string[] | undefined {
  if (header === undefined || header === '') return [];
  const names = header.split(',', MAX_REQUESTED_HEADERS + 1).map((name) => name.trim().toLowerCase());
  return names.length > MAX_REQUESTED_HEADERS ? undefined : names.filter((name) => name !== '');
}

/** Returns the first rule that allows a request, as S3 does. */
export const ruleFor = (rules: readonly CorsRule[], request: CorsRequest): CorsRule | undefined =>
  rules.find(
    ({ origins, methods, headers }) =>
      (origins.includes('*') || origins.includes(request.origin)) &&
      methods.includes(request.method) &&
      request.headers.every((name) => headers.some((allowed) => matches(allowed.toLowerCase(), name))),
  );

/** A `*` at the end stands for the rest of a name, and nowhere else for anything. */
const matches = (allowed: string, name: string): boolean =>
  allowed.endsWith('*') ? name.startsWith(allowed.slice(0, -1)) : allowed === name;

/** The headers of an answer that a rule allows. Credentials are never allowed: nothing here uses cookies. */
export function corsHeadersOf(rule: CorsRule, origin: string): [string, string][] {
  const exposed = rule.expose_headers.join(', ');
  return [
    ['Access-Control-Allow-Origin', rule.origins.includes('*') ? '*' : origin],
    ...(exposed === '' ? [] : [['Access-Control-Expose-Headers', exposed] as [string, string]]),
  ];
}

/** The headers of the answer to a preflight. */
export function preflightHeadersOf(rule: CorsRule, request: CorsRequest): [string, string][] {
  const headers: [string, string][] = [
    ...corsHeadersOf(rule, request.origin),
    ['Access-Control-Allow-Methods', rule.methods.join(', ')],
    ['Access-Control-Max-Age', String(rule.max_age_seconds)],
  ];
  if (request.headers.length > 0) headers.push(['Access-Control-Allow-Headers', request.headers.join(', ')]);
  return headers;
}

/** Caches must keep the answers for different origins apart. */
export const CORS_VARY = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers';
