import { RE2JS } from 're2js';
import { type MatchBudget, RequestTooCostly } from './match-budget.js';

/**
 * A larger program would use up the budget of a request after a few characters. No rule written by hand is that large.
 */
export const MAX_EXPRESSION_SIZE = 1_000;
/** The limit of the engine's state cache for each expression; the engine's own limit is 8 MiB. */
const MAX_CACHE_BYTES = 262_144;
const REPETITION = /^\{(\d{1,4})(?:,(\d{0,4}))?\}/;

/**
 * A regular expression of a deploy. It runs in an engine of linear time, has a bounded program, and takes its time from
 * the budget of the request.
 */
export class Expression {
  private readonly compiled: RE2JS | null;
  /** The estimated number of instructions of the program, before it is compiled. */
  readonly size: number;

  /** @throws {Error} when it is invalid, or uses a lookaround or a backreference, which are not supported. */
  constructor(source: string) {
    this.size = expandedSize(source);
    this.compiled = this.isTooLarge ? null : compile(source);
  }

  get isTooLarge(): boolean {
    return this.size > MAX_EXPRESSION_SIZE;
  }

  /** Returns what each group matched, in order. @throws {RequestTooCostly} */
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

  /** True when it matches the complete text. @throws {RequestTooCostly} */
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

/** Estimates the size of a program without compiling it. Nested repetitions such as `(?:ab{3}){5}` multiply. */
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
  // A bracket right at the beginning of a class is one of its characters.
  let at = source[start + 1] === '^' ? start + 2 : start + 1;
  for (at++; at < source.length && source[at] !== ']'; at++) if (source[at] === '\\') at++;
  return at;
}
