import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { JsonSchemas } from '../../agents/json-schemas.js';
import type { ModelAnswer } from '../../ai/model-answers.service.js';
import { approvalReasonOf } from '../domain/approval-policy.js';
import { effectKeyOf } from '../domain/digests.js';
import type { RunToolCall } from '../domain/tool-call-state.js';
import { TOOL_CALL_ID } from '../runs.ids.js';
import type { ActiveRun } from './held-run.js';

/** A model that answers with more calls at once gets an error for the others. */
const MAX_CALLS = 32;
const MAX_ARGUMENT_CHARACTERS = 262_144;

interface Fault {
  readonly code: string;
  readonly message: string;
}

/** Turns the calls that a model asks for into calls of the run: validated, and judged by the policy of the version. */
@Injectable()
export class CallProposals {
  constructor(
    private readonly schemas: JsonSchemas,
    private readonly ids: Ids,
  ) {}

  /** A call that cannot be made is failed from the start, and the model learns why. */
  of(active: ActiveRun, step: number, { toolCalls }: ModelAnswer): RunToolCall[] {
    return toolCalls.map((asked, place) => {
      const { input, fault } = this.inputOf(active, asked, place);
      const usable = active.tools.get(asked.name);
      const { run, isTainted } = active;
      const reason = fault === undefined ? approvalReasonOf({ ...usable!, input, isTainted }) : null;
      return {
        id: this.ids.next(TOOL_CALL_ID),
        orgId: run.orgId,
        runId: run.id,
        step,
        place,
        modelCallId: asked.id,
        tool: asked.name,
        effect: usable?.tool.effect ?? 'read',
        effectKey: effectKeyOf(run.id, step, place),
        arguments: input,
        state: fault !== undefined ? 'failed' : reason === null ? 'authorised' : 'awaiting_approval',
        waitingFor: null,
        wakesAt: null,
        output: null,
        error: fault ?? null,
        startedAt: null,
        endedAt: null,
      };
    });
  }

  /** Returns what is wrong with arguments for a tool, or undefined. */
  faultOf({ tools }: ActiveRun, name: string, input: unknown): Fault | undefined {
    const usable = tools.get(name);
    if (usable === undefined)
      return {
        code: 'tool_not_found',
        message: `There is no tool ${name.slice(0, 100)}. The tools are: ${[...tools.keys()].join(', ') || 'none'}.`,
      };
    const faults = this.schemas.validate(usable.tool.inputSchema, input);
    if (faults.length === 0) return undefined;
    const shown = faults.slice(0, 10).map(({ path, message }) => `arguments${path} ${message}`);
    return { code: 'invalid_arguments', message: `${shown.join('; ')}.` };
  }

  private inputOf(
    active: ActiveRun,
    { name, arguments: text }: ModelAnswer['toolCalls'][number],
    place: number,
  ): { readonly input: Readonly<Record<string, unknown>>; readonly fault?: Fault } {
    if (place >= MAX_CALLS)
      return { input: {}, fault: { code: 'too_many_calls', message: `At most ${MAX_CALLS} tools at once.` } };
    if (text.length > MAX_ARGUMENT_CHARACTERS)
      return {
        input: {},
        fault: { code: 'invalid_arguments', message: `The arguments exceed ${MAX_ARGUMENT_CHARACTERS} characters.` },
      };
    const input = objectIn(text === '' ? '{}' : text);
    if (input === undefined)
      return { input: {}, fault: { code: 'invalid_arguments', message: 'The arguments must be a JSON object.' } };
    const fault = this.faultOf(active, name, input);
    return fault === undefined ? { input } : { input, fault };
  }
}

/** PostgreSQL stores no NUL in JSON, so such arguments are refused like other broken ones. */
function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.includes('\\u0000')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
