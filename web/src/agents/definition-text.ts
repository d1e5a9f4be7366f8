import type { AgentVersion } from '@service/client';

const NOT_DEFINITION: ReadonlySet<string> = new Set(['agent_id', 'number', 'live', 'created_at', 'created_by']);

/** A definition as lines that people compare: fields by name, and long texts line by line. */
export function definitionLines(version: AgentVersion): string[] {
  return Object.entries(version)
    .filter(([name, value]) => !NOT_DEFINITION.has(name) && value !== undefined)
    .flatMap(([name, value]) => linesOf(name, value as unknown, ''));
}

function linesOf(name: string, value: unknown, indent: string): string[] {
  const inner = `${indent}  `;
  if (typeof value === 'string' && value.includes('\n'))
    return [`${indent}${name}:`, ...value.split('\n').map((line) => inner + line)];
  if (Array.isArray(value))
    return value.length === 0
      ? [`${indent}${name}: []`]
      : [
          `${indent}${name}:`,
          ...value.flatMap((each: unknown) =>
            typeof each === 'object' && each !== null
              ? [`${inner}-`, ...entriesOf(each, `${inner}  `)]
              : [`${inner}- ${String(each)}`],
          ),
        ];
  if (typeof value === 'object' && value !== null) {
    const lines = entriesOf(value, inner);
    return lines.length === 0 ? [`${indent}${name}: {}`] : [`${indent}${name}:`, ...lines];
  }
  return [`${indent}${name}: ${String(value)}`];
}

const entriesOf = (value: object, indent: string): string[] =>
  Object.entries(value).flatMap(([name, each]) => linesOf(name, each as unknown, indent));
