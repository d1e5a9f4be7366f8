import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Routing } from '../built-output.js';
import { ArtifactRefused } from '../hosting.errors.js';
import { MAX_EXPRESSION_SIZE } from './expression.js';
import type { RequestFacts } from './request-facts.js';
import { RouteConditions } from './route-condition.js';
import { type Caught, RouteDestination, RoutePattern } from './route-pattern.js';
import { FOR_OPERATORS_PROXY, withoutDomain } from './unsafe-headers.js';

/** The limit of vercel.json. */
const MAX_RULES = 1_024;
/** The limit of all rules as JSON, because matching headers are sent with each answer. */
const MAX_BYTES = 262_144;
/** The limit of the programs of all expressions together. Plain patterns have no program and do not count. */
const MAX_TOTAL_SIZE = 20_000;
/** The time limit for compiling rules, because other requests share the event loop. */
const RULES_AT_ONCE = 16;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const DEFAULT_REDIRECT = 308;

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
const BAD_IN_HEADER = /[^\t\x20-\x7e\x80-\xff]/;
/** Headers of the connection or the body. A deploy that set them would break its own answers. */
const NOT_THEIRS = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-range',
  'date',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  ...FOR_OPERATORS_PROXY,
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

/**
 * The compiled rules of a deploy. Every method takes time from the budget of the request, and throws
 * {@link RequestTooCostly} when it is spent.
 */
export class Routes {
  private constructor(
    private readonly redirects: readonly RedirectRule[],
    private readonly rewrites: readonly CompiledRule[],
    private readonly headers: readonly HeadersRule[],
  ) {}

  /**
   * @param age rules of deploys that were stored under earlier limits keep working, within the budget.
   * @throws {ArtifactRefused} `routing_invalid`, naming the first invalid rule.
   */
  static async of(routing: Routing, age: 'new' | 'kept'): Promise<Routes> {
    const { redirects, rewrites, headers } = routing;
    if (redirects.length + rewrites.length + headers.length > MAX_RULES) {
      throw new ArtifactRefused('routing_invalid', `There are more than ${MAX_RULES} redirects, rewrites and headers.`);
    }
    if (age === 'new' && Buffer.byteLength(JSON.stringify(routing)) > MAX_BYTES) {
      throw new ArtifactRefused(
        'routing_invalid',
        `The redirects, rewrites and headers have more than ${MAX_BYTES} bytes together.`,
      );
    }
    const compiler = new RuleCompiler(age);
    return new Routes(
      await compiler.all('redirect', redirects, redirectOf),
      await compiler.all('rewrite', rewrites, rewriteOf),
      await compiler.all('header', headers, (rule, matching) => ({ ...matching, headers: rule.headers.map(headerOf) })),
    );
  }

  /** The memory that they use, next to the files of the deploy. */
  get weight(): number {
    return [...this.redirects, ...this.rewrites, ...this.headers].reduce(
      (sum, { pattern, conditions }) => sum + 1 + pattern.size + conditions.size,
      0,
    );
  }

  redirectOf(path: string, facts: RequestFacts): RedirectTo | undefined {
    const found = first(this.redirects, path, facts);
    return found === undefined
      ? undefined
      : { status: found.rule.statusCode, location: found.rule.destination.with(found.caught) };
  }

  /** The path of a file, decoded and without its query. */
  rewriteOf(path: string, facts: RequestFacts): string | undefined {
    const target = this.targetOf(path, facts);
    if (target === undefined) return undefined;
    try {
      return decodeURIComponent(target.split('?', 1)[0]!);
    } catch {
      return undefined;
    }
  }

  /** The path that a rewrite leads to, encoded and with the query of the rewrite. */
  targetOf(path: string, facts: RequestFacts): string | undefined {
    const found = first(this.rewrites, path, facts);
    if (found === undefined) return undefined;
    const target = found.rule.destination.with(found.caught).split('#', 1)[0]!;
    // The destination may have characters that a request line cannot have.
    return target.replace(/[^\x21-\x7e]/gu, encodeURIComponent);
  }

  /** Returns the headers of all rules that match. The last rule that sets a name wins. */
  headersOf(path: string, facts: RequestFacts): readonly (readonly [string, string])[] {
    const headers = new Map<string, readonly [string, string]>();
    for (const rule of this.headers) {
      if (rule.pattern.match(path, facts.budget) === undefined || !rule.conditions.hold(facts)) continue;
      for (const header of rule.headers) headers.set(header[0].toLowerCase(), header);
    }
    return [...headers.values()];
  }
}

function first<Rule extends MatchingRule>(
  rules: readonly Rule[],
  path: string,
  facts: RequestFacts,
): { rule: Rule; caught: Caught } | undefined {
  for (const rule of rules) {
    const caught = rule.pattern.match(path, facts.budget);
    if (caught !== undefined && rule.conditions.hold(facts)) return { rule, caught };
  }
  return undefined;
}

type RuleSource = Routing['headers' | 'redirects' | 'rewrites'][number];

class RuleCompiler {
  private size = 0;
  private count = 0;

  constructor(private readonly age: 'new' | 'kept') {}

  async all<Source extends RuleSource, Rule>(
    kind: string,
    sources: readonly Source[],
    make: (source: Source, matching: MatchingRule) => Rule,
  ): Promise<Rule[]> {
    const rules: Rule[] = [];
    for (const source of sources) {
      if (++this.count % RULES_AT_ONCE === 0) await nextTurn();
      rules.push(this.one(kind, source, make));
    }
    return rules;
  }

  private one<Source extends RuleSource, Rule>(
    kind: string,
    source: Source,
    make: (source: Source, matching: MatchingRule) => Rule,
  ): Rule {
    try {
      const matching = { pattern: RoutePattern.of(source.source), conditions: RouteConditions.of(source) };
      this.requireRoom(matching);
      return make(source, matching);
    } catch (error) {
      throw new ArtifactRefused(
        'routing_invalid',
        `The ${kind} for ${source.source.slice(0, 200)} cannot be kept: ${(error as Error).message}.`,
      );
    }
  }

  private requireRoom({ pattern, conditions }: MatchingRule): void {
    this.size += pattern.size + conditions.size;
    if (this.age === 'kept') return;
    if (Math.max(pattern.size, conditions.size) > MAX_EXPRESSION_SIZE)
      throw new Error('its expressions are too large; use fewer or smaller repetitions');
    if (this.size > MAX_TOTAL_SIZE)
      throw new Error(
        'the expressions of all rules together are too large; use fewer, or plain patterns such as /blog/:slug',
      );
  }
}

function redirectOf(rule: Routing['redirects'][number], matching: MatchingRule): RedirectRule {
  const statusCode = rule.statusCode ?? DEFAULT_REDIRECT;
  if (!REDIRECTS.has(statusCode)) throw new Error(`${statusCode} is no status of a redirect`);
  return { ...matching, statusCode, destination: new RouteDestination(rule.destination, matching.pattern) };
}

function rewriteOf(rule: Routing['rewrites'][number], matching: MatchingRule): CompiledRule {
  const destination = new RouteDestination(rule.destination, matching.pattern);
  if (destination.isElsewhere) throw new Error('rewrites lead to paths of the deploy only');
  return { ...matching, destination };
}

function headerOf({ key, value }: { readonly key: string; readonly value: string }): readonly [string, string] {
  if (!HEADER_NAME.test(key) || BAD_IN_HEADER.test(value) || value.length > 8_192)
    throw new Error('a header has a name or a value that no header can have');
  if (NOT_THEIRS.has(key.toLowerCase())) throw new Error(`the header ${key} is not for a deploy to set`);
  return [key, key.toLowerCase() === 'set-cookie' ? withoutDomain(value) : value];
}
