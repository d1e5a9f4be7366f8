import { fieldsOf } from '../../routers/upstream-json.js';
import {
  billingFaults,
  type CallRules,
  countFaults,
  countIn,
  messagesFaults,
  streamFaults,
  toolFaults,
} from './call-rules.js';

const MAX_CHOICES = 128;
/** Some servers accept functions without a type. OpenRouter runs tools with other types, and charges for them. */
const OWN_TOOLS: readonly unknown[] = ['function', 'custom', undefined];

/** The chat completions of OpenAI. */
export const CHAT_RULES: CallRules = {
  dropped: ['user', 'stream_options'],

  *faultsOf(fields) {
    yield* messagesFaults(fields);
    yield* countFaults(fields, 'max_tokens');
    yield* countFaults(fields, 'max_completion_tokens');
    yield* countFaults(fields, 'n', MAX_CHOICES);
    yield* toolFaults(fields, (tool) => OWN_TOOLS.includes(fieldsOf(tool)['type']));
    yield* streamFaults(fields);
    yield* billingFaults(fields);
  },

  choicesOf: (fields) => countIn(fields, 'n') ?? 1,

  maxTokensOf(fields) {
    const limits = [countIn(fields, 'max_tokens'), countIn(fields, 'max_completion_tokens')];
    const given = limits.filter((limit) => limit !== undefined);
    return given.length === 0 ? undefined : Math.max(...given);
  },

  isStream: ({ stream }) => stream === true,

  showsUsage: ({ stream_options: options }) => fieldsOf(options)['include_usage'] === true,

  decide: ({ stream, stream_options: options }, { maxTokens, user }) => ({
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(stream === true ? { stream_options: { ...fieldsOf(options), include_usage: true } } : {}),
    user,
  }),
};
