import { type Fields, fieldsOf, textOf } from '../../routers/upstream-json.js';
import { responseTokensOf } from '../reported-usage.js';
import { type AnswerForm, countOutput, type GrowingFacts, isError, type UsageEvent } from './answer-form.js';

/** The last event has the usage, and repeats the instructions and tools of the request, which may have 8 MiB. */
const MAX_EVENT_BYTES = 24 * 1_048_576;
const LAST = ['response.completed', 'response.incomplete', 'response.failed'];
const FAILED = ['failed', 'cancelled'];

/** Answers of the Responses API. */
export const RESPONSES_FORM: AnswerForm = {
  maxEventBytes: MAX_EVENT_BYTES,
  events: () => ({ read }),
  wholeFields: ['id', 'model', 'error', 'status', 'incomplete_details', 'output'],

  readWhole(valueOf) {
    const status = textOf(valueOf('status'));
    return {
      generationId: textOf(valueOf('id')),
      model: textOf(valueOf('model')),
      finishReason: finishReasonOf(status, valueOf('incomplete_details')),
      tokens: responseTokensOf(valueOf('usage')),
      countedOutput: countOutput(valueOf('output')),
      hasFailed: isError(valueOf('error')) || FAILED.includes(status ?? ''),
    };
  },
};

function read(event: Fields, facts: GrowingFacts): UsageEvent | undefined {
  const type = textOf(event['type']) ?? '';
  const response = fieldsOf(event['response']);
  facts.generationId ??= textOf(response['id']);
  facts.model ??= textOf(response['model']);
  facts.hasFailed ||= type === 'error' || type === 'response.failed' || isError(event['error']);
  if (type.endsWith('.delta')) facts.countedOutput += countOutput(event['delta']);
  const isLast = LAST.includes(type);
  if (isLast && !facts.hasFailed) {
    facts.isComplete = true;
    facts.finishReason = finishReasonOf(textOf(response['status']), response['incomplete_details']);
  }
  const tokens = responseTokensOf(response['usage']);
  if (tokens === undefined) return undefined;
  facts.tokens = tokens;
  return {
    usage: fieldsOf(response['usage']),
    with: (usage) => ({ ...event, response: { ...response, usage: usage ?? null } }),
    isUsageOnly: false,
    isLast,
  };
}

const finishReasonOf = (status: string | undefined, incomplete: unknown): string | undefined =>
  textOf(fieldsOf(incomplete)['reason']) ?? status;
