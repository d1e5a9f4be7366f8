import { parse, tokensToRegexp } from 'path-to-regexp';
import { Expression } from './expression.js';
import type { MatchBudget } from './match-budget.js';
import { PlainPattern } from './plain-pattern.js';

/** No pattern written by hand is longer. */
const MAX_LENGTH = 512;
const OPTIONS = { delimiter: '/' };

/** What a pattern matched, by name, and by number from 1 on. */
export type Caught = ReadonlyMap<string, string>;

/**
 * A pattern in the syntax of vercel.json (path-to-regexp 6). It is not matched by V8's engine, which twenty characters
 * can keep busy for minutes: patterns come from tenants.
 */
export class RoutePattern {
  private constructor(
    private readonly groupsIn: (path: string, budget: MatchBudget) => string[] | undefined,
    readonly names: readonly string[],
    /** The size of the program that matches the pattern; 0 when it needs none. */
    readonly size: number,
  ) {}

  /**
   * @throws {Error} when it is invalid, or uses a lookaround or a backreference, which an engine of linear time does
   * not support.
   */
  static of(source: string): RoutePattern {
    if (source.length > MAX_LENGTH || !source.startsWith('/'))
      throw new Error('it must begin with / and have 512 characters at most');
    const tokens = parse(source, OPTIONS);
    const names = tokens.flatMap((token) => (typeof token === 'string' ? [] : [String(token.name)]));
    const plain = PlainPattern.of(tokens);
    if (plain !== undefined) return new RoutePattern((path) => plain.match(path), names, 0);

    const expression = new Expression(tokensToRegexp(tokens, [], { ...OPTIONS, strict: true, sensitive: true }).source);
    const texts = tokens.filter((token) => typeof token === 'string');
    return new RoutePattern(
      (path, budget) => (holdsInOrder(path, texts) ? expression.groupsIn(path, budget) : undefined),
      names,
      expression.size,
    );
  }

  /** Returns undefined when the path does not match. @throws {RequestTooCostly} */
  match(path: string, budget: MatchBudget): Caught | undefined {
    const groups = this.groupsIn(path, budget);
    if (groups === undefined) return undefined;
    const caught = new Map<string, string>();
    this.names.forEach((name, index) => {
      const text = groups[index] ?? '';
      caught.set(String(index + 1), text);
      // Groups without a name get their number from 0 on as a name, which no rule uses.
      if (!/^\d/.test(name)) caught.set(name, text);
    });
    return caught;
  }
}

/** A text that every matching path contains, so that most rules are skipped without running their expression. */
function holdsInOrder(path: string, texts: readonly string[]): boolean {
  let at = 0;
  return texts.every((text) => {
    const found = path.indexOf(text, at);
    at = found + text.length;
    return found >= 0;
  });
}

const ORIGIN = /^https?:\/\/[^/?#\\\s]+/;
const REFERENCE = /:([A-Za-z_]\w*)[*+]?|\$(\d)/g;

/** The target of a rule: a path or a URL, with `:slug`, `:path*` and `$1` for what its source matched. */
export class RouteDestination {
  private readonly origin: string;
  private readonly rest: string;

  /** @throws {Error} when it is not a URL, or refers to a group that its source does not have. */
  constructor(text: string, { names }: RoutePattern) {
    this.origin = ORIGIN.exec(text)?.[0] ?? '';
    this.rest = text.slice(this.origin.length);
    if (this.origin === '' && !/^\/(?!\/)/.test(text))
      throw new Error('its destination must begin with one /, http:// or https://');
    if (text.length > MAX_LENGTH || /[\s\\\p{Cc}\p{Cs}]/u.test(text))
      throw new Error('its destination has characters that no address has');
    const numbers = names.map((_, index) => String(index + 1));
    for (const [, name, number] of this.rest.matchAll(REFERENCE)) {
      const wanted = name ?? number!;
      if (![...names, ...numbers].includes(wanted))
        throw new Error(`its destination names ${wanted}, which its source does not`);
    }
  }

  get isElsewhere(): boolean {
    return this.origin !== '';
  }

  with(caught: Caught): string {
    const filled = this.rest.replace(REFERENCE, (_, name?: string, number?: string) =>
      encodePart(caught.get(name ?? number ?? '') ?? ''),
    );
    // Two slashes at the beginning of a path would name another host.
    return this.isElsewhere ? this.origin + filled : filled.replace(/^\/{2,}/, '/');
  }
}

/** Escapes what was matched, so that it cannot become a query, a fragment or another host. */
const encodePart = (value: string): string => value.split('/').map(encodeURIComponent).join('/');
