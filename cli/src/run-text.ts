import type { AgentRun, AgentRunEvent } from '@service/client';
import { type Paint, printable, printableLines } from './terminal.js';

const MAX_LINE = 300;

/** Models and tools write what they want: one line of it is shown, without what a terminal would obey. */
export function shortened(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const line = printable(text.replaceAll('\n', ' '));
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
}

/** The output of a run for people: text as it is, and JSON on several lines. */
export function outputText({ output, error, state }: AgentRun): string {
  if (error != null) return `${state}: ${printable(error.code)}: ${printableLines(error.message)}`;
  if (output == null) return state;
  return printableLines(typeof output === 'string' ? output : JSON.stringify(output, undefined, 2));
}

/** What the run costs and uses, on one line. */
export const usageText = ({ id, cost, used }: AgentRun): string =>
  `$${cost} · ${used.steps} steps · ${used.tool_calls} tool calls · ${Math.round(used.active_seconds)} s · ${id}`;

/** Characters that are not seen, or that change the order in which others are seen. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** JSON on several lines in which every character is visible, because a person approves what they see. */
export const visibleJson = (value: unknown): string =>
  JSON.stringify(value, undefined, 2)
    .split('\n')
    .map((line) => line.replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`))
    .join('\n');

const textOf = (value: unknown): string => printable(typeof value === 'string' ? value : '');

/** Returns a line for an event, or undefined for one that people need not see. */
export function eventText(paint: Paint, { type, data }: AgentRunEvent): string | undefined {
  const tool = textOf(data['tool']);
  const state = textOf(data['state']);
  const { message } = (data['error'] ?? {}) as { message?: string };
  switch (type) {
    case 'call.proposed':
      return `${paint.bold(`→ ${tool}`)} ${paint.dim(shortened(data['arguments'] ?? {}))}`;
    case 'call.ended': {
      const arrow = state === 'succeeded' ? paint.green('←') : paint.red('←');
      return `${arrow} ${tool} ${state} ${paint.dim(shortened(message ?? data['output'] ?? ''))}`.trimEnd();
    }
    case 'run.waiting':
      // What waits for an approval is shown by itself.
      return data['waiting_for'] === 'approval'
        ? undefined
        : paint.yellow(`Waiting for: ${textOf(data['waiting_for'])}`);
    case 'child.started':
      return `Started the run ${textOf(data['run_id'])}`;
    case 'budget.raised':
      return 'The budget was raised.';
    default:
      return undefined;
  }
}
