import type { RouteCondition } from '../built-output.js';
import { Expression } from './expression.js';
import type { RequestFacts } from './request-facts.js';

const MAX_LENGTH = 512;
const MAX_CONDITIONS = 16;
/** Characters without a special meaning. */
const PLAIN = /^[\w \-/=;,:@%&]*$/;

/** The conditions of one rule. */
export class RouteConditions {
  private constructor(
    private readonly has: readonly Condition[],
    private readonly missing: readonly Condition[],
    /** The size of the programs that match the values. */
    readonly size: number,
  ) {}

  /** @throws {Error} when a condition is invalid. */
  static of({
    has = [],
    missing = [],
  }: {
    readonly has?: readonly RouteCondition[];
    readonly missing?: readonly RouteCondition[];
  }): RouteConditions {
    if (has.length + missing.length > MAX_CONDITIONS) throw new Error(`it has more than ${MAX_CONDITIONS} conditions`);
    const conditions = { has: has.map(compiled), missing: missing.map(compiled) };
    const size = [...conditions.has, ...conditions.missing].reduce((sum, each) => sum + each.size, 0);
    return new RouteConditions(conditions.has, conditions.missing, size);
  }

  /** @throws {RequestTooCostly} */
  hold(facts: RequestFacts): boolean {
    return this.has.every(({ holds }) => holds(facts)) && !this.missing.some(({ holds }) => holds(facts));
  }
}

interface Condition {
  readonly holds: (facts: RequestFacts) => boolean;
  readonly size: number;
}

function compiled({ type, key, value }: RouteCondition): Condition {
  if ((key?.length ?? 0) > MAX_LENGTH || (value?.length ?? 0) > MAX_LENGTH) throw new Error('a condition is too long');
  if (type !== 'host' && key === undefined) throw new Error(`a condition on a ${type} names none`);
  const read = readerOf(type, key ?? '');
  if (value === undefined) return { size: 0, holds: (facts) => read(facts) !== undefined };
  if (PLAIN.test(value)) return { size: 0, holds: (facts) => read(facts) === value };
  const expression = new Expression(value);
  return {
    size: expression.size,
    holds: (facts) => {
      const found = read(facts);
      return found !== undefined && expression.matches(found, facts.budget);
    },
  };
}

function readerOf(type: RouteCondition['type'], key: string): (facts: RequestFacts) => string | undefined {
  const lowerCase = key.toLowerCase();
  switch (type) {
    case 'host':
      return ({ host }) => host;
    case 'query':
      return (facts) => facts.parameter(key);
    case 'header':
      return (facts) => facts.header(lowerCase);
    case 'cookie':
      return (facts) => facts.cookie(key);
  }
}
