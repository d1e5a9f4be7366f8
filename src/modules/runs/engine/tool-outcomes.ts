import { DomainError } from '../../../platform/errors/domain-error.js';
import type { ToolOutcome } from '../../agents/agent-tool.js';
import type { ToolCallChange } from '../persistence/run-tool-calls.store.js';

/** A result that is longer is cut. */
const MAX_OUTPUT_CHARACTERS = 262_144;
const MAX_MESSAGE_CHARACTERS = 4_000;

/** Hides secrets in text. */
export type Mask = (text: string) => string;

/** A refusal of the service that the model can do something about; undefined for everything else. */
export function failureOf(error: unknown): Extract<ToolOutcome, { kind: 'failed' }> | undefined {
  if (!(error instanceof DomainError) || error.status >= 500 || error.status === 402) return undefined;
  const { hint } = error.help;
  return { kind: 'failed', code: error.code, message: hint === undefined ? error.message : `${error.message} ${hint}` };
}

/** Turns the outcome of a call into what is stored of it, without secrets and within bounds. */
export function changeOf(outcome: ToolOutcome, tellsModel: boolean, mask: Mask): ToolCallChange {
  switch (outcome.kind) {
    case 'succeeded':
      return { state: 'succeeded', output: shown(outcome.output, mask) };
    case 'failed':
      return {
        state: 'failed',
        error: {
          code: outcome.code.slice(0, 100),
          message: clean(mask(outcome.message)).slice(0, MAX_MESSAGE_CHARACTERS),
        },
      };
    case 'waiting':
      return {
        state: 'executing',
        waitingFor: outcome.for,
        ...(outcome.until === undefined ? {} : { wakesAt: outcome.until }),
      };
    case 'unknown':
      return unknownOutcome(tellsModel, clean(mask(outcome.message)).slice(0, MAX_MESSAGE_CHARACTERS));
  }
}

/** Nothing says whether the effect happened. Either the model learns that, or a person is asked. */
export const unknownOutcome = (tellsModel: boolean, message: string): ToolCallChange => ({
  state: 'outcome_unknown',
  error: { code: 'outcome_unknown', message },
  ...(tellsModel ? {} : { waitingFor: 'unknown_outcome' as const }),
});

/** Keeps JSON that is short enough, and otherwise the beginning of its text. */
function shown(output: unknown, mask: Mask): unknown {
  const text = clean(mask(typeof output === 'string' ? output : JSON.stringify(output ?? null)));
  if (text.length > MAX_OUTPUT_CHARACTERS)
    return `${text.slice(0, MAX_OUTPUT_CHARACTERS)}\n[${text.length - MAX_OUTPUT_CHARACTERS} more characters were cut]`;
  if (typeof output === 'string') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The mask has broken the JSON.
    return text;
  }
}

/** PostgreSQL stores no NUL, neither in text nor in JSON. */
const clean = (text: string): string => text.replaceAll('\0', '').replaceAll('\\u0000', '');
