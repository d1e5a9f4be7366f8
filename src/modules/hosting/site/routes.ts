import type { Routing } from '../built-output.js';
import { ArtifactRefused } from '../hosting.errors.js';
import { type RequestFacts, RouteConditions } from './route-condition.js';
import { type Caught, RouteDestination, RoutePattern } from './route-pattern.js';

/** What vercel.json may have. */
const MAX_RULES = 1_024;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const DEFAULT_REDIRECT = 308;

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
const BAD_IN_HEADER = /[^\t\x20-\x7e\x80-\xff]/;
/** They belong to the connection, or say what the body is; a deploy that set them would only break its answers. */
const NOT_THEIRS = new Set([
  'connection', 'content-encoding', 'content-length', 'content-range', 'date', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade',
]);

interface MatchingRule {
  readonly pattern: RoutePattern;
  readonly conditions: RouteConditions;
}

interface CompiledRule extends MatchingRule {
  readonly destination: RouteDestination;
}

interface RedirectRule extends CompiledRule {
  readonly statusCode: number;
}

interface HeadersRule extends MatchingRule {
  readonly headers: readonly (readonly [string, string])[];
}

export interface RedirectTo {
  readonly status: number;
  readonly location: string;
}

/** The rules of a deploy, ready to be asked. */
export class Routes {
  private constructor(
    private readonly redirects: readonly RedirectRule[],
    private readonly rewrites: readonly CompiledRule[],
    private readonly headers: readonly HeadersRule[],
  ) {}

  /** @throws {ArtifactRefused} `routing_invalid`, naming the first rule that cannot be kept. */
  static of({ redirects, rewrites, headers }: Routing): Routes {
    if (redirects.length + rewrites.length + headers.length > MAX_RULES) {
      throw new ArtifactRefused('routing_invalid', `There are more than ${MAX_RULES} redirects, rewrites and headers.`);
    }
    return new Routes(
      redirects.map((rule) => compiled('redirect', rule, (matching) => {
        const statusCode = rule.statusCode ?? DEFAULT_REDIRECT;
        if (!REDIRECTS.has(statusCode)) throw new Error(`${statusCode} is no status of a redirect`);
        return { ...matching, statusCode, destination: new RouteDestination(rule.destination, matching.pattern) };
      })),
      rewrites.map((rule) => compiled('rewrite', rule, (matching) => {
        const destination = new RouteDestination(rule.destination, matching.pattern);
        if (destination.isElsewhere) throw new Error('rewrites lead to paths of the deploy only');
        return { ...matching, destination };
      })),
      headers.map((rule) => compiled('header', rule, (matching) => ({ ...matching, headers: rule.headers.map(headerOf) }))),
    );
  }

  redirectOf(path: string, facts: RequestFacts): RedirectTo | undefined {
    const found = first(this.redirects, path, facts);
    return found === undefined ? undefined : { status: found.rule.statusCode, location: found.rule.destination.with(found.caught) };
  }

  /** The path of a file, decoded and without its query. */
  rewriteOf(path: string, facts: RequestFacts): string | undefined {
    const found = first(this.rewrites, path, facts);
    if (found === undefined) return undefined;
    try {
      return decodeURIComponent(found.rule.destination.with(found.caught).replace(/[?#].*$/, ''));
    } catch {
      return undefined;
    }
  }

  /** Of all rules that match; the last word on a name wins. */
  headersOf(path: string, facts: RequestFacts): readonly (readonly [string, string])[] {
    const headers = new Map<string, readonly [string, string]>();
    for (const rule of this.headers) {
      if (rule.pattern.match(path) === undefined || !rule.conditions.hold(facts)) continue;
      for (const header of rule.headers) headers.set(header[0].toLowerCase(), header);
    }
    return [...headers.values()];
  }
}

function first<Rule extends MatchingRule>(rules: readonly Rule[], path: string, facts: RequestFacts): { rule: Rule; caught: Caught } | undefined {
  for (const rule of rules) {
    const caught = rule.pattern.match(path);
    if (caught !== undefined && rule.conditions.hold(facts)) return { rule, caught };
  }
  return undefined;
}

type RuleSource = Routing['headers' | 'redirects' | 'rewrites'][number];

function compiled<Rule>(kind: string, rule: RuleSource, make: (matching: MatchingRule) => Rule): Rule {
  try {
    return make({ pattern: RoutePattern.of(rule.source), conditions: RouteConditions.of(rule) });
  } catch (error) {
    throw new ArtifactRefused('routing_invalid', `The ${kind} for ${rule.source.slice(0, 200)} cannot be kept: ${(error as Error).message}.`);
  }
}

function headerOf({ key, value }: { readonly key: string; readonly value: string }): readonly [string, string] {
  if (!HEADER_NAME.test(key) || BAD_IN_HEADER.test(value) || value.length > 8_192) throw new Error('a header has a name or a value that no header can have');
  if (NOT_THEIRS.has(key.toLowerCase())) throw new Error(`the header ${key} is not for a deploy to set`);
  return [key, value];
}
