import { moreAt } from './more-at.js';
import { type Json, objectOf, tomlObject } from './repository-files.js';
import type { HeaderRule, Redirect, Rewrite, RouteCondition, Routing } from '../../hosting/built-output.js';

const MOST_RULES = 2_000;
/** A header of 8,192 characters, its name and some space. */
const LONGEST_LINE = 8_500;
/** The sandbox sends at most this much of these files, too. */
const LONGEST_FILE = 262_144;
/** Notes about rules that were left out. Without a limit, a file could fill the log with them. */
const MOST_NOTES = 50;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\uffff]{0,8192}$/;
const REDIRECTS = [301, 302, 303, 307, 308] as const;

export interface RoutingSources {
  /** The text of vercel.json. */
  readonly vercel: string | null;
  /** The text of netlify.toml. */
  readonly netlify: string | null;
  /** True when a server answers requests without a file. */
  readonly hasServer: boolean;
  /** `_redirects` and `_headers` have the formats of Netlify. */
  readonly redirects: string | null;
  readonly headers: string | null;
  /** The page for addresses that lead nowhere, if the output has it. */
  readonly notFound: string | null;
  /** The page of a single-page app, if the output has it. */
  readonly fallback: string | null;
  /** The path that the pages are built for, or null if it is the top. */
  readonly base: string | null;
}

/**
 * Converts the routing files of a repository to one form. Rules that are not supported are left out and reported.
 */
export function routingOf(sources: RoutingSources, reportEach: (text: string) => void): Routing {
  let reported = 0;
  const report = (text: string): void => {
    reported++;
    if (reported <= MOST_NOTES) reportEach(text);
    else if (reported === MOST_NOTES + 1) reportEach('Further rules were left out.');
  };
  const vercel = vercelOf(sources, report);
  const lines = redirectsOf('_redirects', sources.redirects ?? '', report);
  // The plan has already reported a file that is not valid.
  const toml = netlifyOf(tomlObject(sources.netlify, () => undefined) ?? {}, report);
  return {
    redirects: [...vercel.redirects, ...lines.redirects, ...toml.redirects, ...toBase(sources)].slice(0, MOST_RULES),
    rewrites: [...vercel.rewrites, ...lines.rewrites, ...toml.rewrites].slice(0, MOST_RULES),
    headers: [...vercel.headers, ...headersOf(sources.headers ?? '', report), ...toml.headers].slice(0, MOST_RULES),
    cleanUrls: vercel.cleanUrls,
    trailingSlash: vercel.trailingSlash,
    notFound: sources.notFound,
    // A site with a page for missing addresses wants to show that.
    fallback: sources.notFound === null ? sources.fallback : null,
  };
}

/** Scripts of pages that are built for a path show nothing, or an error, at the top. */
const toBase = ({ base }: RoutingSources): Redirect[] =>
  base === null ? [] : [{ source: '/', destination: `${base}/`, statusCode: 307 }];

type VercelRouting = Omit<Routing, 'notFound' | 'fallback'>;

function vercelOf({ vercel: text, hasServer }: RoutingSources, report: (text: string) => void): VercelRouting {
  const nothing: VercelRouting = { redirects: [], rewrites: [], headers: [], cleanUrls: false, trailingSlash: null };
  if (text === null) return nothing;
  let config: Record<string, unknown>;
  try {
    config = objectOf(JSON.parse(text) as unknown);
  } catch {
    report('vercel.json was left out: it is not valid JSON.');
    return nothing;
  }
  const rulesOf = <Rule>(name: string, read: (raw: Record<string, unknown>) => Rule | null): Rule[] =>
    listOf(config[name]).flatMap((raw) => {
      const rule = read(raw);
      if (rule === null) report(`A rule of ${name} in vercel.json was left out: ${JSON.stringify(raw).slice(0, 200)}`);
      return rule === null ? [] : [rule];
    });
  if (config.routes !== undefined)
    report('"routes" of vercel.json is not supported. Use "redirects", "rewrites" and "headers".');
  if (hasServer && (config.cleanUrls !== undefined || config.trailingSlash !== undefined))
    report('"cleanUrls" and "trailingSlash" of vercel.json are for static files. The server decides about its paths.');
  return {
    redirects: rulesOf('redirects', redirectOf),
    rewrites: rulesOf('rewrites', rewriteOf).filter((rule) => isForHere(rule, hasServer, report)),
    headers: rulesOf('headers', headerOf),
    cleanUrls: config.cleanUrls === true,
    trailingSlash: typeof config.trailingSlash === 'boolean' ? config.trailingSlash : null,
  };
}

/** Rewrites lead to paths of the same deploy, and there are no functions that they could lead to. */
function isForHere({ source, destination }: Rewrite, hasServer: boolean, report: (text: string) => void): boolean {
  if (!destination.startsWith('/')) {
    report(leadsOut('vercel.json', source, destination));
    return false;
  }
  if (!hasServer || !/^\/(?:api|\.netlify\/functions)(?:\/|$)/.test(destination)) return true;
  report(
    `The rewrite of ${source.slice(0, 200)} to ${destination.slice(0, 200)} was left out: there are no functions. ` +
      'The server gets these requests as they are.',
  );
  return false;
}

const leadsOut = (file: string, source: string, destination: string): string =>
  `The rewrite of ${source.slice(0, 200)} to ${destination.slice(0, 200)} in ${file} was left out: found is another ` +
  `host, and expected is a path of this deploy. Use a redirect, or call that host from a server.${moreAt('routing')}`;

function baseOf(raw: Record<string, unknown>): Pick<Rewrite, 'source' | 'has' | 'missing'> | null {
  const { source } = raw;
  if (typeof source !== 'string' || !source.startsWith('/') || source.length > 2_000) return null;
  const [has, missing] = [conditionsOf(raw.has), conditionsOf(raw.missing)];
  // A rule whose condition is not supported is left out, because without the condition it would apply to everyone.
  return has === null || missing === null ? null : { source, has, missing };
}

function redirectOf(raw: Record<string, unknown>): Redirect | null {
  const base = baseOf(raw);
  const statusCode =
    REDIRECTS.find((status) => status === raw.statusCode) ??
    (raw.statusCode === undefined ? (raw.permanent === false ? 307 : 308) : undefined);
  return base === null || statusCode === undefined || !isDestination(raw.destination)
    ? null
    : { ...base, destination: raw.destination, statusCode };
}

function rewriteOf(raw: Record<string, unknown>): Rewrite | null {
  const base = baseOf(raw);
  return base === null || !isDestination(raw.destination) ? null : { ...base, destination: raw.destination };
}

function headerOf(raw: Record<string, unknown>): HeaderRule | null {
  const base = baseOf(raw);
  const headers = listOf(raw.headers).flatMap(({ key, value }) =>
    isHeader(key, value) ? [{ key: key as string, value: value as string }] : [],
  );
  return base === null || headers.length === 0 ? null : { ...base, headers };
}

function conditionsOf(value: unknown): RouteCondition[] | null {
  const conditions = listOf(value).map(({ type, key, value: wanted }): RouteCondition | null => {
    if (type !== 'header' && type !== 'cookie' && type !== 'query' && type !== 'host') return null;
    if (type !== 'host' && typeof key !== 'string') return null;
    return {
      type,
      ...(typeof key === 'string' ? { key } : {}),
      ...(typeof wanted === 'string' ? { value: wanted } : {}),
    };
  });
  return conditions.every((condition) => condition !== null) ? conditions : null;
}

/** Each line has the form `/news/* /blog/:splat 301`. */
function redirectsOf(
  file: '_redirects' | 'netlify.toml',
  text: string,
  report: (text: string) => void,
): { redirects: Redirect[]; rewrites: Rewrite[] } {
  const redirects: Redirect[] = [];
  const rewrites: Rewrite[] = [];
  for (const line of linesOf(file, text, report)) {
    const [from = '', to = '', status = '301', ...more] = wordsOf(line);
    const source = from.endsWith('*') ? `${from.slice(0, -1)}:splat*` : from;
    const destination = to.replace(/:splat\b/, ':splat*');
    const code = Number(status.endsWith('!') ? status.slice(0, -1) : status);
    const redirect = REDIRECTS.find((each) => each === code);
    const isUnderstood =
      from.startsWith('/') && !source.slice(0, -1).includes('*') && more.length === 0 && isDestination(destination);
    if (isUnderstood && redirect !== undefined)
      redirects.push({ source, destination, statusCode: redirect, has: [], missing: [] });
    else if (isUnderstood && code === 200 && destination.startsWith('/'))
      rewrites.push({ source, destination, has: [], missing: [] });
    else if (isUnderstood && code === 200) report(leadsOut(file, from, to));
    else report(`A line of ${file} was left out: ${line.trim().slice(0, 200)}`);
  }
  return { redirects, rewrites };
}

/** `[[redirects]]` and `[[headers]]` of netlify.toml. Conditions and proxies to other hosts are not supported. */
function netlifyOf(config: Json, report: (text: string) => void): Pick<Routing, 'redirects' | 'rewrites' | 'headers'> {
  const moves = listOf(config['redirects']).flatMap(({ from, to, status = 301, ...rest }) => {
    const more = Object.keys(rest).filter((name) => name !== 'force');
    const isPlain = [from, to].every((each) => typeof each === 'string' && !/\s/.test(each)) && more.length === 0;
    if (isPlain) return [`${from as string} ${to as string} ${JSON.stringify(status)}`];
    report(`A redirect of netlify.toml was left out: ${JSON.stringify({ from, to, status, ...rest }).slice(0, 200)}`);
    return [];
  });
  const headers = listOf(config['headers']).flatMap((raw) => {
    const source = raw['for'];
    const values = Object.entries(objectOf(raw['values'])).flatMap(([key, value]) =>
      isHeader(key, value) ? [{ key, value: value as string }] : [],
    );
    if (typeof source === 'string' && source.startsWith('/') && source.length <= 2_000 && values.length > 0)
      return [{ source: source.replaceAll('*', '(.*)'), has: [], missing: [], headers: values }];
    report(`Headers of netlify.toml were left out: ${JSON.stringify(raw).slice(0, 200)}`);
    return [];
  });
  return { ...redirectsOf('netlify.toml', moves.join('\n'), report), headers };
}

/** Each path stands on a line of its own, followed by indented lines of the form `Name: value`. */
function headersOf(text: string, report: (text: string) => void): HeaderRule[] {
  const rules: { source: string; has: []; missing: []; headers: { key: string; value: string }[] }[] = [];
  for (const line of linesOf('_headers', text, report)) {
    const rule = rules.at(-1);
    const header = headerLineOf(line);
    if (line.startsWith('/'))
      rules.push({ source: line.trim().replaceAll('*', '(.*)'), has: [], missing: [], headers: [] });
    else if (rule !== undefined && header !== null) rule.headers.push(header);
    else report(`A line of _headers was left out: ${line.trim().slice(0, 200)}`);
  }
  return rules.filter(({ headers }) => headers.length > 0);
}

/** Null if the line is not indented, has no colon, or is not a valid header. */
function headerLineOf(line: string): { key: string; value: string } | null {
  const colon = line.indexOf(':');
  if (colon < 0 || line.trimStart() === line) return null;
  const [key, value] = [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  return isHeader(key, value) ? { key, value } : null;
}

/**
 * Returns the lines that are neither empty nor comments. No regular expression trims them, because one that looks for
 * both ends takes time in the square of the length.
 */
function linesOf(file: string, text: string, report: (text: string) => void): string[] {
  if (text.length > LONGEST_FILE) {
    report(`${file} was left out: it has more than ${LONGEST_FILE} characters.`);
    return [];
  }
  const lines = text
    .split('\n')
    .slice(0, 10 * MOST_RULES)
    .filter((line) => line.trim() !== '' && !line.trimStart().startsWith('#'));
  const long = lines.filter((line) => line.length > LONGEST_LINE).length;
  if (long > 0) report(`${long} lines of ${file} were left out: they have more than ${LONGEST_LINE} characters.`);
  return lines.filter((line) => line.length <= LONGEST_LINE);
}

const wordsOf = (line: string): string[] =>
  line
    .replaceAll('\t', ' ')
    .split(' ')
    .map((word) => word.trim())
    .filter((word) => word !== '');

const isHeader = (key: unknown, value: unknown): boolean =>
  typeof key === 'string' && typeof value === 'string' && HEADER_NAME.test(key) && HEADER_VALUE.test(value);

const isDestination = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 2_000 && /^(?:\/(?!\/)|https?:\/\/)[\x21-\x7e\x80-\uffff]*$/.test(value);

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value)
    ? value
        .filter((each): each is Record<string, unknown> => typeof each === 'object' && each !== null)
        .slice(0, MOST_RULES)
    : [];
}
