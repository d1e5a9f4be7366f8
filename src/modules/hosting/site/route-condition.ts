import type { IncomingHttpHeaders } from 'node:http';
import { RE2JS } from 're2js';
import type { RouteCondition } from '../built-output.js';

/** What of a request conditions look at. */
export interface RequestFacts {
  readonly host: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
}

const MAX_LENGTH = 512;
const MAX_CONDITIONS = 16;

/** The conditions of one rule. */
export class RouteConditions {
  private constructor(
    private readonly has: readonly Condition[],
    private readonly missing: readonly Condition[],
  ) {}

  /** @throws {Error} when one cannot be kept. */
  static of({ has = [], missing = [] }: { readonly has?: readonly RouteCondition[]; readonly missing?: readonly RouteCondition[] }): RouteConditions {
    if (has.length + missing.length > MAX_CONDITIONS) throw new Error(`it has more than ${MAX_CONDITIONS} conditions`);
    return new RouteConditions(has.map(compiled), missing.map(compiled));
  }

  hold(facts: RequestFacts): boolean {
    return this.has.every((condition) => condition(facts)) && !this.missing.some((condition) => condition(facts));
  }
}

type Condition = (facts: RequestFacts) => boolean;

function compiled({ type, key, value }: RouteCondition): Condition {
  if ((key?.length ?? 0) > MAX_LENGTH || (value?.length ?? 0) > MAX_LENGTH) throw new Error('a condition is too long');
  if (type !== 'host' && key === undefined) throw new Error(`a condition on a ${type} names none`);
  const expression = value === undefined ? undefined : RE2JS.compile(value);
  return (facts) => {
    const found = valueOf(facts, type, key ?? '');
    return found !== undefined && (expression === undefined || expression.matches(found));
  };
}

function valueOf({ host, query, headers }: RequestFacts, type: RouteCondition['type'], key: string): string | undefined {
  switch (type) {
    case 'host': return host;
    case 'query': return new URLSearchParams(query).get(key) ?? undefined;
    case 'header': return headers[key.toLowerCase()]?.toString();
    case 'cookie': return headers.cookie?.split(/; */).map((pair) => /^([^=]*)=(.*)$/.exec(pair)).find((pair) => pair?.[1] === key)?.[2];
  }
}
