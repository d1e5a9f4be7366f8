import type { AgentVersion } from '../../agents/agent-definition.js';
import type { RunMessage, RunStep } from '../domain/run.js';
import type { RunToolCall } from '../domain/tool-call-state.js';

/** A message in the form of chat completions. */
export type ChatMessage = Readonly<Record<string, unknown>>;

/** A result that is longer is cut for the model. The whole of it is in the transcript. */
const MAX_RESULT_CHARACTERS = 65_536;

/** A part of the memory that is always in the context. */
interface ShownBlock {
  readonly label: string;
  readonly description?: string | undefined;
  readonly value: string;
}

export interface ConversationFacts {
  readonly version: Pick<AgentVersion, 'instructions' | 'outputSchema'>;
  readonly blocks: readonly ShownBlock[];
  /** What was asked and answered in the runs that this one continues, oldest first. */
  readonly earlier: readonly { readonly input: unknown; readonly output: unknown }[];
  readonly input: unknown;
  readonly steps: readonly RunStep[];
  readonly calls: readonly RunToolCall[];
  readonly messages: readonly RunMessage[];
}

/** Returns what a model reads. A summary takes the place of the steps before it. */
export function conversationOf(facts: ConversationFacts): ChatMessage[] {
  const answered = facts.steps.filter(({ state }) => state === 'answered');
  const summary = answered.findLast(({ kind }) => kind === 'summary');
  const shown = answered.filter(({ seq, kind }) => kind === 'answer' && seq > (summary?.seq ?? 0));
  const spoken = facts.messages.filter(({ callId }) => callId === null);
  const after = summary?.seq ?? 0;
  return [
    { role: 'system', content: systemTextOf(facts) },
    ...facts.earlier.flatMap(({ input, output }) => [
      { role: 'user', content: textOf(input) },
      ...(output === null ? [] : [{ role: 'assistant', content: textOf(output) }]),
    ]),
    { role: 'user', content: textOf(facts.input) },
    ...(summary === undefined
      ? []
      : [{ role: 'user', content: `Summary of the earlier steps of this run:\n\n${summary.text ?? ''}` }]),
    ...messagesBetween(spoken, after, shown[0]?.seq ?? Number.MAX_SAFE_INTEGER),
    ...shown.flatMap((step, index) => [
      ...answerOf(step, facts.calls),
      ...messagesBetween(spoken, step.seq, shown[index + 1]?.seq ?? Number.MAX_SAFE_INTEGER),
    ]),
  ];
}

/** What a model is asked for a summary of a long run. */
export const SUMMARY_REQUEST: ChatMessage = {
  role: 'user',
  content:
    'The conversation is getting too long. Summarize everything above that is needed to go on: the goal, what was ' +
    'done, exact names, ids and figures that were found, what failed and why, and what is left to do. Answer with ' +
    'the summary only.',
};

function systemTextOf({ version, blocks }: ConversationFacts): string {
  const memory = blocks.map(({ label, description, value }) => {
    const about = description === undefined ? '' : ` about=${JSON.stringify(description)}`;
    return `<memory label=${JSON.stringify(label)}${about}>\n${value}\n</memory>`;
  });
  const schema =
    version.outputSchema === null
      ? []
      : [`Your last answer must be JSON that fits this JSON Schema:\n${JSON.stringify(version.outputSchema)}`];
  return [version.instructions, ...memory, ...schema].join('\n\n');
}

const messagesBetween = (messages: readonly RunMessage[], from: number, to: number): ChatMessage[] =>
  messages
    .filter(({ afterStep }) => afterStep >= from && afterStep < to)
    .map(({ content }) => ({ role: 'user', content: textOf(content) }));

function answerOf(step: RunStep, calls: readonly RunToolCall[]): ChatMessage[] {
  const own = calls.filter((call) => call.step === step.seq);
  return [
    {
      role: 'assistant',
      content: step.text ?? '',
      ...(own.length === 0
        ? {}
        : {
            tool_calls: own.map((call) => ({
              id: call.modelCallId,
              type: 'function',
              function: { name: call.tool, arguments: JSON.stringify(call.arguments) },
            })),
          }),
    },
    ...own.map((call) => ({ role: 'tool', tool_call_id: call.modelCallId, content: resultTextOf(call) })),
  ];
}

/** What the model is given as the result of a call. */
function resultTextOf(call: RunToolCall): string {
  switch (call.state) {
    case 'succeeded':
      return cut(textOf(call.output));
    case 'outcome_unknown':
      return 'The call was interrupted. It is not known whether it took effect, and it is not repeated.';
    case 'denied':
      return `A person denied this call${call.error === null ? '.' : `: ${call.error.message}`}`;
    case 'expired':
      return 'Nobody approved this call in time.';
    case 'proposed':
    case 'awaiting_approval':
    case 'authorised':
    case 'executing':
    case 'failed':
      return `Error ${call.error?.code ?? 'tool_failed'}: ${call.error?.message ?? 'The call failed.'}`;
  }
}

const cut = (text: string): string =>
  text.length <= MAX_RESULT_CHARACTERS
    ? text
    : `${text.slice(0, MAX_RESULT_CHARACTERS)}\n[${text.length - MAX_RESULT_CHARACTERS} more characters were cut]`;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));
