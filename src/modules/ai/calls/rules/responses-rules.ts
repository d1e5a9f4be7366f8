import type { FieldFault } from '../../../../platform/errors/request-invalid.js';
import { type Fields, fieldsOf, listOf } from '../../routers/upstream-json.js';
import {
  billingFaults,
  type CallRules,
  countFaults,
  countIn,
  fault,
  isAbsent,
  streamFaults,
  toolFaults,
} from './call-rules.js';

/** What the caller runs. Any other tool is run by the provider. */
const OWN_TOOLS = ['function', 'custom', 'local_shell', 'apply_patch'];
/** What a provider has kept. It would be in the account of the operator, for all organizations. */
const KEPT = ['previous_response_id', 'conversation', 'prompt'];
const KEEPING = ['store', 'background'];

/** The Responses API of OpenAI, without anything that a provider keeps or runs. */
export const RESPONSES_RULES: CallRules = {
  dropped: ['user', 'store', 'background'],

  *faultsOf(fields) {
    const { input } = fields;
    if ((typeof input !== 'string' && !Array.isArray(input)) || input.length === 0)
      yield fault('input', 'is_string', 'input must be a text, or a list of items.');
    yield* stateFaults(fields);
    yield* toolFaults(fields, (tool) => OWN_TOOLS.includes(fieldsOf(tool)['type'] as string));
    yield* countFaults(fields, 'max_output_tokens');
    yield* streamFaults(fields);
    yield* billingFaults(fields);
  },

  choicesOf: () => 1,
  maxTokensOf: (fields) => countIn(fields, 'max_output_tokens'),
  isStream: ({ stream }) => stream === true,
  // The protocol has it in its last event.
  showsUsage: () => true,

  decide: (_, { maxTokens, user }) => ({
    ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
    store: false,
    user,
  }),
};

function* stateFaults(fields: Fields): Iterable<FieldFault> {
  for (const name of KEEPING)
    if (!isAbsent(fields[name]) && fields[name] !== false)
      yield fault(name, 'is_in', `${name} must be false: responses are not kept.`);
  for (const name of KEPT)
    if (!isAbsent(fields[name]))
      yield fault(name, 'unknown_field', `${name} is not supported: nothing is kept. Send the whole input.`);
  const at = listOf(fields['input']).findIndex((item) => fieldsOf(item)['type'] === 'item_reference');
  if (at !== -1) yield fault(`input[${at}].type`, 'is_in', 'Items are not kept. Send the item itself.');
}
