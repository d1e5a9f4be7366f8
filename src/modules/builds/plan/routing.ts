import { type HeaderRule, type RedirectRule, type RewriteRule, type RouteCondition, type Routing } from '../built.js';

const MOST_RULES = 2_000;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\uffff]{0,8192}$/;
const REDIRECTS = [301, 302, 303, 307, 308] as const;

export interface RoutingSources {
  /** Of vercel.json. */
  readonly vercel: string | null;
  /** In the terms of Netlify. */
  readonly redirects: string | null;
  readonly headers: string | null;
  readonly hasNotFound: boolean;
}

/** Brings the files that say how requests find their way into one form. What is not understood is left out, and told. */
export function routingOf(sources: RoutingSources, tell: (text: string) => void): Routing {
  const vercel = vercelOf(sources.vercel, tell);
  const netlify = redirectsOf(sources.redirects ?? '', tell);
  return {
    redirects: [...vercel.redirects, ...netlify.redirects].slice(0, MOST_RULES),
    rewrites: [...vercel.rewrites, ...netlify.rewrites].slice(0, MOST_RULES),
    headers: [...vercel.headers, ...headersOf(sources.headers ?? '', tell)].slice(0, MOST_RULES),
    cleanUrls: vercel.cleanUrls,
    trailingSlash: vercel.trailingSlash,
    notFound: sources.hasNotFound ? '404.html' : null,
  };
}

type VercelRouting = Omit<Routing, 'notFound'>;

function vercelOf(text: string | null, tell: (text: string) => void): VercelRouting {
  const nothing: VercelRouting = { redirects: [], rewrites: [], headers: [], cleanUrls: false, trailingSlash: null };
  if (text === null) return nothing;
  let config: Record<string, unknown>;
  try {
    config = JSON.parse(text) as Record<string, unknown>;
  } catch {
    tell('vercel.json was left out: it is no JSON.');
    return nothing;
  }
  const rulesOf = <Rule>(name: string, read: (raw: Record<string, unknown>) => Rule | null): Rule[] => listOf(config[name]).flatMap((raw) => {
    const rule = read(raw);
    if (rule === null) tell(`A rule of ${name} in vercel.json was left out: ${JSON.stringify(raw).slice(0, 200)}`);
    return rule === null ? [] : [rule];
  });
  if (config.routes !== undefined) tell('"routes" of vercel.json is not supported. Use "redirects", "rewrites" and "headers".');
  return {
    redirects: rulesOf('redirects', redirectOf),
    rewrites: rulesOf('rewrites', rewriteOf),
    headers: rulesOf('headers', headerOf),
    cleanUrls: config.cleanUrls === true,
    trailingSlash: typeof config.trailingSlash === 'boolean' ? config.trailingSlash : null,
  };
}

function baseOf(raw: Record<string, unknown>): Pick<RewriteRule, 'source' | 'has' | 'missing'> | null {
  const { source } = raw;
  if (typeof source !== 'string' || !source.startsWith('/') || source.length > 2_000) return null;
  const [has, missing] = [conditionsOf(raw.has), conditionsOf(raw.missing)];
  // A condition that is not understood must not make a rule hold for everyone.
  return has === null || missing === null ? null : { source, has, missing };
}

function redirectOf(raw: Record<string, unknown>): RedirectRule | null {
  const base = baseOf(raw);
  const statusCode = REDIRECTS.find((status) => status === raw.statusCode) ?? (raw.statusCode === undefined ? (raw.permanent === false ? 307 : 308) : undefined);
  return base === null || statusCode === undefined || !isDestination(raw.destination) ? null : { ...base, destination: raw.destination, statusCode };
}

function rewriteOf(raw: Record<string, unknown>): RewriteRule | null {
  const base = baseOf(raw);
  return base === null || !isDestination(raw.destination) ? null : { ...base, destination: raw.destination };
}

function headerOf(raw: Record<string, unknown>): HeaderRule | null {
  const base = baseOf(raw);
  const headers = listOf(raw.headers).flatMap(({ key, value }) => (isHeader(key, value) ? [{ key: key as string, value: value as string }] : []));
  return base === null || headers.length === 0 ? null : { ...base, headers };
}

function conditionsOf(value: unknown): RouteCondition[] | null {
  const conditions = listOf(value).map(({ type, key, value: wanted }): RouteCondition | null => {
    if (type !== 'header' && type !== 'cookie' && type !== 'query' && type !== 'host') return null;
    if (type !== 'host' && typeof key !== 'string') return null;
    return { type, ...(typeof key === 'string' ? { key } : {}), ...(typeof wanted === 'string' ? { value: wanted } : {}) };
  });
  return conditions.every((condition) => condition !== null) ? conditions : null;
}

/** `/news/* /blog/:splat 301`, one a line. */
function redirectsOf(text: string, tell: (text: string) => void): { redirects: RedirectRule[]; rewrites: RewriteRule[] } {
  const redirects: RedirectRule[] = [];
  const rewrites: RewriteRule[] = [];
  for (const line of linesOf(text)) {
    const [from = '', to = '', status = '301', ...more] = line.trim().split(/\s+/);
    const source = from.replace(/\*$/, ':splat*');
    const destination = to.replace(/:splat\b/, ':splat*');
    const code = Number(status.replace(/!$/, ''));
    const redirect = REDIRECTS.find((each) => each === code);
    const isUnderstood = from.startsWith('/') && !source.slice(0, -1).includes('*') && more.length === 0 && isDestination(destination);
    if (isUnderstood && redirect !== undefined) redirects.push({ source, destination, statusCode: redirect, has: [], missing: [] });
    else if (isUnderstood && code === 200) rewrites.push({ source, destination, has: [], missing: [] });
    else tell(`A line of _redirects was left out: ${line.trim().slice(0, 200)}`);
  }
  return { redirects, rewrites };
}

/** A path, and below it, indented, `Name: value`. */
function headersOf(text: string, tell: (text: string) => void): HeaderRule[] {
  const rules: { source: string; has: []; missing: []; headers: { key: string; value: string }[] }[] = [];
  for (const line of linesOf(text)) {
    const [, key = '', value = ''] = /^\s+([^:\s]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    const rule = rules.at(-1);
    if (/^\//.test(line)) rules.push({ source: line.trim().replaceAll('*', '(.*)'), has: [], missing: [], headers: [] });
    else if (rule !== undefined && isHeader(key, value)) rule.headers.push({ key, value });
    else tell(`A line of _headers was left out: ${line.trim().slice(0, 200)}`);
  }
  return rules.filter(({ headers }) => headers.length > 0);
}

const linesOf = (text: string): string[] => text.split(/\r?\n/).slice(0, 10 * MOST_RULES).filter((line) => line.trim() !== '' && !line.trimStart().startsWith('#'));

const isHeader = (key: unknown, value: unknown): boolean => typeof key === 'string' && typeof value === 'string' && HEADER_NAME.test(key) && HEADER_VALUE.test(value);

const isDestination = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 2_000 && /^(?:\/(?!\/)|https?:\/\/)[\x21-\x7e\x80-\uffff]*$/.test(value);

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((each): each is Record<string, unknown> => typeof each === 'object' && each !== null).slice(0, MOST_RULES) : [];
}
