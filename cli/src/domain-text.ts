import type { Domain } from '@service/client';
import { tableOf } from './context.js';
import { type Paint, printable } from './terminal.js';

/** Returns the state in the colour of its meaning: served, in danger, or not yet served. */
export function paintedState({ green, red, yellow }: Paint, { state }: Domain): string {
  switch (state) {
    case 'active':
      return green(state);
    case 'misconfigured':
      return red(state);
    case 'pending':
    case 'verified':
      return yellow(state);
  }
}

/** Describes a domain: its state, the records that it needs, and why the last check did not succeed. */
export function domainText(paint: Paint, domain: Domain): string {
  const { unicode_name: name, records, problem, served_until: servedUntil } = domain;
  const rows = records.map(({ type, name: at, value, status, seen }) => [
    type,
    at,
    value,
    status === 'other' ? `${paint.red(status)}: ${seen.map(printable).join(', ')}` : recordStatus(paint, status),
  ]);
  return [
    `${paint.bold(name)} is ${paintedState(paint, domain)}.`,
    ...(problem === undefined ? [] : [paint.yellow(problem.message)]),
    ...(servedUntil === undefined ? [] : [paint.red(`Served until ${servedUntil}, unless a check succeeds before.`)]),
    '',
    tableOf(['TYPE', 'NAME', 'VALUE', 'FOUND'], rows),
  ].join('\n');
}

const recordStatus = ({ green, red, dim }: Paint, status: Domain['records'][number]['status']): string =>
  status === 'found' ? green(status) : status === 'missing' ? red(status) : dim(status);
