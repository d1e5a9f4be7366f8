import { type Fields, fieldsOf, listOf, textOf } from '../../routers/upstream-json.js';
import { tokensOf } from '../reported-usage.js';
import { type AnswerForm, countOutput, type GrowingFacts, isError, type UsageEvent } from './answer-form.js';

/** It holds a picture, and no usage. */
const MAX_EVENT_BYTES = 4 * 1_048_576;

/** Answers of chat completions, and of embeddings, which have no choices. */
export const CHAT_FORM: AnswerForm = {
  maxEventBytes: MAX_EVENT_BYTES,
  events: () => ({ read }),
  wholeFields: ['id', 'model', 'error', 'choices'],

  readWhole(valueOf) {
    const choices = listOf(valueOf('choices')).map(fieldsOf);
    return {
      generationId: textOf(valueOf('id')),
      model: textOf(valueOf('model')),
      finishReason: choices.map((choice) => textOf(choice['finish_reason'])).find(Boolean),
      tokens: tokensOf(valueOf('usage')),
      countedOutput: choices.reduce((sum, choice) => sum + countOutput(choice['message']), 0),
      hasFailed: isError(valueOf('error')),
    };
  },
};

function read(event: Fields, facts: GrowingFacts): UsageEvent | undefined {
  facts.generationId ??= textOf(event['id']);
  facts.model ??= textOf(event['model']);
  facts.hasFailed ||= isError(event['error']);
  const choices = listOf(event['choices']).map(fieldsOf);
  for (const choice of choices) {
    facts.finishReason ??= textOf(choice['finish_reason']);
    facts.countedOutput += countOutput(choice['delta']);
  }
  const tokens = tokensOf(event['usage']);
  if (tokens === undefined) return undefined;
  facts.tokens = tokens;
  const { usage, ...others } = event;
  return {
    usage: fieldsOf(usage),
    with: (other) => (other === undefined ? others : { ...event, usage: other }),
    // Some servers count in every event.
    isUsageOnly: choices.length === 0,
    isLast: choices.length === 0,
  };
}
