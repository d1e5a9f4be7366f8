import { parse } from 'yaml';
import { SEVERITIES, type Severity } from '../domain/ops-task-status.js';

const KINDS = ['check', 'act', 'escalate'] as const;
const RISKS = ['read', 'write', 'destructive'] as const;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export interface RunbookStep {
  readonly n: number;
  readonly text: string;
  readonly kind: (typeof KINDS)[number];
  /** A request to this service. */
  readonly command?: { readonly method: string; readonly path: string; readonly body?: object };
  /** The expected result, or what to conclude from the result. */
  readonly expect?: string;
  readonly risk: (typeof RISKS)[number];
}

/** Instructions for one kind of fault. */
export interface Runbook {
  readonly id: string;
  /** The `runbookTag` of the alerts and tasks that this runbook applies to. */
  readonly tag: string;
  readonly title: string;
  readonly severity: Severity;
  readonly summary: string;
  readonly appliesTo: { readonly alertnames: readonly string[] };
  readonly steps: readonly RunbookStep[];
  readonly escalation: string;
  /** Background information, as Markdown. */
  readonly background: string;
  readonly version: number;
}

/** @throws {Error} that names the file and its fault: the service does not start with an invalid runbook. */
export function parseRunbook(file: string, markdown: string): Runbook {
  const [, matter, body = ''] = /^---\n([\s\S]*?)\n---\n\s*# .*\n([\s\S]*)$/.exec(markdown) ?? [];
  const fail = (what: string): never => {
    throw new Error(`The runbook ${file} ${what}.`);
  };
  if (matter === undefined) return fail('has no front matter and a title');
  const facts = parse(matter) as Record<string, unknown>;

  const text = (value: unknown, name: string): string =>
    typeof value === 'string' && value.trim() !== '' ? value.trim() : fail(`has no ${name}`);
  const one = <T extends string>(value: unknown, of: readonly T[], name: string): T =>
    of.find((each) => each === value) ?? fail(`has a ${name} other than ${of.join(', ')}`);
  const list = (value: unknown, name: string): unknown[] =>
    Array.isArray(value) && value.length > 0 ? value : fail(`has no ${name}`);

  /** Empty for a runbook whose tasks the service opens itself. */
  const alertnamesOf = (value: unknown): unknown[] => {
    const names = (value as Record<string, unknown> | undefined)?.['alertnames'];
    return Array.isArray(names) ? names : fail('has no alertnames');
  };

  const stepOf = (value: unknown, index: number): RunbookStep => {
    const step = value as Record<string, unknown>;
    const name = `step ${index + 1}`;
    const command = step['command'] as Record<string, unknown> | undefined;
    return {
      n: index + 1,
      text: text(step['text'], `text in ${name}`),
      kind: one(step['kind'], KINDS, `kind in ${name}`),
      ...(command === undefined
        ? {}
        : {
            command: {
              method: one(command['method'], METHODS, `method in ${name}`),
              path: text(command['path'], `path in ${name}`),
              ...(command['body'] === undefined ? {} : { body: command['body'] as object }),
            },
          }),
      ...(step['expect'] === undefined ? {} : { expect: text(step['expect'], `expect in ${name}`) }),
      risk: one(step['risk'], RISKS, `risk in ${name}`),
    };
  };

  const id = text(facts['id'], 'id');
  if (file !== `${id}.md`) fail('is not named after its id');
  return {
    id,
    tag: text(facts['tag'], 'tag'),
    title: text(facts['title'], 'title'),
    severity: one(facts['severity'], SEVERITIES, 'severity'),
    summary: text(facts['summary'], 'summary'),
    appliesTo: { alertnames: alertnamesOf(facts['appliesTo']).map((name) => text(name, 'alert name')) },
    steps: list(facts['steps'], 'steps').map(stepOf),
    escalation: text(facts['escalation'], 'escalation'),
    background: text(body, 'background'),
    version: Number.isInteger(facts['version']) ? (facts['version'] as number) : fail('has no version'),
  };
}
