import { RE2JS } from 're2js';
import { type MatchBudget, RequestTooCostly } from './match-budget.js';

/**
 * Beyond it a program is so large that a request could afford few characters; nobody has written such a rule by hand.
 */
export const MAX_EXPRESSION_SIZE = 1_000;
/** The limit of the engine's state cache for each expression; the engine's own limit is 8 MiB. */
const MAX_CACHE_BYTES = 262_144;
const REPETITION = /^\{(\d{1,4})(?:,(\d{0,4}))?\}/;

/**
 * A regular expression that came with a deploy: an engine that takes linear time, a program of bounded size, and time
 * out of the budget of the request.
 */
export class Expression {
  private readonly compiled: RE2JS | null;
  /** Instructions of its program, as far as they are known before it is compiled. */
  readonly size: number;

  /** @throws {Error} when it is none, or needs what such an engine cannot have: lookaheads and backreferences. */
  constructor(source: string) {
    this.size = expandedSize(source);
    this.compiled = this.isTooLarge ? null : compile(source);
  }

  get isTooLarge(): boolean {
    return this.size > MAX_EXPRESSION_SIZE;
  }

  /** What each group caught, from the first on. @throws {RequestTooCostly} */
  groupsIn(text: string, budget: MatchBudget): string[] | undefined {
    const { compiled } = this;
    if (compiled === null) throw new RequestTooCostly();
    return budget.run(this.stepsFor(compiled, text), () => {
      const matcher = compiled.matcher(text);
      return matcher.find()
        ? Array.from({ length: matcher.groupCount() }, (_, index) => matcher.group(index + 1) ?? '')
        : undefined;
    });
  }

  /** Whether all of the text is what it describes. @throws {RequestTooCostly} */
  matches(text: string, budget: MatchBudget): boolean {
    const { compiled } = this;
    if (compiled === null) throw new RequestTooCostly();
    return budget.run(this.stepsFor(compiled, text), () => compiled.matches(text));
  }

  private stepsFor(compiled: RE2JS, text: string): number {
    return compiled.programSize() * (text.length + 1);
  }
}

function compile(source: string): RE2JS {
  const compiled = RE2JS.compile(source);
  const cache = (compiled.re2() as unknown as { dfa: { stateBudget: number; memBudget: number } }).dfa;
  cache.stateBudget = MAX_CACHE_BYTES;
  cache.memBudget = MAX_CACHE_BYTES;
  return compiled;
}

/** How large a program becomes, without making it: `(?:ab{3}){5}` repeats what it holds. Never too small by much. */
export function expandedSize(source: string): number {
  const outer: number[] = [];
  let sum = 0;
  let last = 0;
  const add = (size: number): void => {
    sum += last;
    last = size;
  };
  for (let at = 0; at < source.length; at++) {
    switch (source.charAt(at)) {
      case '\\':
        add(1);
        at++;
        break;
      case '[':
        add(1);
        at = endOfClass(source, at);
        break;
      case '(':
        add(0);
        outer.push(sum);
        sum = 0;
        last = 0;
        break;
      case ')': {
        const inside = sum + last + 2;
        sum = outer.pop() ?? 0;
        last = inside;
        break;
      }
      case '{': {
        const [whole, least, most] = REPETITION.exec(source.slice(at, at + 12)) ?? [];
        if (whole === undefined) {
          add(1);
        } else {
          last = (last + 1) * Math.max(1, Number(least), Number(most ?? 0));
          at += whole.length - 1;
        }
        break;
      }
      default:
        add(1);
    }
  }
  return outer.reduce((total, size) => total + size, sum + last);
}

function endOfClass(source: string, start: number): number {
  // A bracket right at its beginning is one of its characters.
  let at = source[start + 1] === '^' ? start + 2 : start + 1;
  for (at++; at < source.length && source[at] !== ']'; at++) if (source[at] === '\\') at++;
  return at;
}
