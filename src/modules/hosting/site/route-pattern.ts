import { type Key, pathToRegexp } from 'path-to-regexp';
import { RE2JS } from 're2js';

/** Longer ones are no patterns that anybody wrote. */
const MAX_LENGTH = 512;

/** What a pattern caught: by name, and by number from 1 on. */
export type Caught = ReadonlyMap<string, string>;

/**
 * A pattern in the language of vercel.json (path-to-regexp 6), matched by an engine that takes linear time whatever the
 * pattern is: patterns come with deploys, and V8's own engine can be kept busy for minutes by twenty characters.
 */
export class RoutePattern {
  private constructor(
    private readonly expression: RE2JS,
    readonly names: readonly string[],
  ) {}

  /** @throws {Error} when it is no pattern, or needs what such an engine cannot have: lookaheads and backreferences. */
  static of(source: string): RoutePattern {
    if (source.length > MAX_LENGTH || !source.startsWith('/')) throw new Error('it must begin with / and have 512 characters at most');
    const keys: Key[] = [];
    const text = pathToRegexp(source, keys, { strict: true, sensitive: true, delimiter: '/' }).source;
    return new RoutePattern(RE2JS.compile(text), keys.map(({ name }) => String(name)));
  }

  /** Undefined when the path is another. */
  match(path: string): Caught | undefined {
    const matcher = this.expression.matcher(path);
    if (!matcher.find()) return undefined;
    const caught = new Map<string, string>();
    this.names.forEach((name, index) => {
      const text = matcher.group(index + 1) ?? '';
      caught.set(String(index + 1), text);
      // Groups without a name are called by their number from 0 on, which nobody asks for.
      if (!/^\d/.test(name)) caught.set(name, text);
    });
    return caught;
  }
}

const ORIGIN = /^https?:\/\/[^/?#\\\s]+/;
const REFERENCE = /:([A-Za-z_]\w*)[*+]?|\$(\d)/g;

/** Where a rule leads: a path or an address, with `:slug`, `:path*` and `$1` for what its source caught. */
export class RouteDestination {
  private readonly origin: string;
  private readonly rest: string;

  /** @throws {Error} when it is no address, or names what its source does not catch. */
  constructor(text: string, { names }: RoutePattern) {
    this.origin = ORIGIN.exec(text)?.[0] ?? '';
    this.rest = text.slice(this.origin.length);
    if (this.origin === '' && !/^\/(?!\/)/.test(text)) throw new Error('its destination must begin with one /, http:// or https://');
    if (text.length > MAX_LENGTH || /[\s\\\p{Cc}\p{Cs}]/u.test(text)) throw new Error('its destination has characters that no address has');
    const numbers = names.map((_, index) => String(index + 1));
    for (const [, name, number] of this.rest.matchAll(REFERENCE)) {
      const wanted = name ?? number!;
      if (![...names, ...numbers].includes(wanted)) throw new Error(`its destination names ${wanted}, which its source does not`);
    }
  }

  get isElsewhere(): boolean {
    return this.origin !== '';
  }

  with(caught: Caught): string {
    const filled = this.rest.replace(REFERENCE, (_, name?: string, number?: string) => encodePart(caught.get(name ?? number ?? '') ?? ''));
    // Two slashes at the beginning of a path would be another host.
    return this.isElsewhere ? this.origin + filled : filled.replace(/^\/{2,}/, '/');
  }
}

/** A path stays a path: what was caught must not become a query, a fragment or another host. */
const encodePart = (value: string): string => value.split('/').map(encodeURIComponent).join('/');
