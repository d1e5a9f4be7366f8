import { billingFaults, type CallRules, fault } from './call-rules.js';

/** The embeddings of OpenAI. They have no output. */
export const EMBEDDINGS_RULES: CallRules = {
  dropped: ['user'],

  *faultsOf(fields) {
    const { input, stream } = fields;
    if ((typeof input !== 'string' && !Array.isArray(input)) || input.length === 0)
      yield fault('input', 'is_string', 'input must be a text, or a list of texts.');
    if (stream === true) yield fault('stream', 'is_in', 'Embeddings are not streamed.');
    yield* billingFaults(fields);
  },

  choicesOf: () => 1,
  maxTokensOf: () => undefined,
  isStream: () => false,
  showsUsage: () => true,
  decide: (_, { user }) => ({ user }),
};
