import { countOf, type Fields, fieldsOf, textOf } from '../../routers/upstream-json.js';
import { messageTokensOf } from '../reported-usage.js';
import {
  type AnswerForm,
  countOutput,
  type EventReader,
  type GrowingFacts,
  isError,
  type UsageEvent,
} from './answer-form.js';

const MAX_EVENT_BYTES = 4 * 1_048_576;

/** Answers of the Messages API of Anthropic. */
export const MESSAGES_FORM: AnswerForm = {
  maxEventBytes: MAX_EVENT_BYTES,
  events: () => new MessageEvents(),
  wholeFields: ['id', 'model', 'error', 'type', 'stop_reason', 'content'],

  readWhole(valueOf) {
    return {
      generationId: textOf(valueOf('id')),
      model: textOf(valueOf('model')),
      finishReason: textOf(valueOf('stop_reason')),
      tokens: messageTokensOf(valueOf('usage')),
      countedOutput: countOutput(valueOf('content')),
      hasFailed: valueOf('type') === 'error' || isError(valueOf('error')),
    };
  },
};

/** The input is counted in the first event, and the output so far in those at the end. */
class MessageEvents implements EventReader {
  private usage: Fields = {};

  read(event: Fields, facts: GrowingFacts): UsageEvent | undefined {
    facts.hasFailed ||= event['type'] === 'error' || isError(event['error']);
    switch (event['type']) {
      case 'message_start':
        return this.readStart(event, facts);
      case 'content_block_delta': {
        const { text, thinking, partial_json: json } = fieldsOf(event['delta']);
        facts.countedOutput += countOutput([text, thinking, json]);
        return undefined;
      }
      case 'message_delta':
        return this.readDelta(event, facts);
      case 'message_stop':
        facts.isComplete = true;
        return undefined;
      default:
        return undefined;
    }
  }

  private readStart(event: Fields, facts: GrowingFacts): UsageEvent | undefined {
    const message = fieldsOf(event['message']);
    facts.generationId ??= textOf(message['id']);
    facts.model ??= textOf(message['model']);
    const usage = fieldsOf(message['usage']);
    this.usage = usage;
    const withOther = (other: Fields | undefined): Fields => ({ ...event, message: { ...message, usage: other } });
    return { usage, with: withOther, isUsageOnly: false, isLast: false };
  }

  private readDelta(event: Fields, facts: GrowingFacts): UsageEvent | undefined {
    const finishReason = textOf(fieldsOf(event['delta'])['stop_reason']);
    facts.finishReason ??= finishReason;
    const usage = fieldsOf(event['usage']);
    // Each count is that of the whole answer so far. Some are absent, and keep what they were.
    const counted = Object.entries(usage).filter(([, count]) => countOf(count) !== undefined);
    this.usage = { ...this.usage, ...Object.fromEntries(counted) };
    if (countOf(usage['output_tokens']) === undefined) return undefined;
    facts.tokens = messageTokensOf(this.usage);
    const withOther = (other: Fields | undefined): Fields => ({ ...event, usage: other });
    return { usage, with: withOther, isUsageOnly: false, isLast: finishReason !== undefined };
  }
}
