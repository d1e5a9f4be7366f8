import { fieldsOf, listOf, textOf } from '../../routers/upstream-json.js';
import {
  billingFaults,
  type CallRules,
  countFaults,
  countIn,
  fault,
  isAbsent,
  messagesFaults,
  streamFaults,
  toolFaults,
} from './call-rules.js';

/** What the caller runs has no type, or one of these. Anthropic runs all other tools. */
const OWN_TOOL = /^(?:custom|(?:bash|text_editor|memory|computer)_\d{8})$/;
/** What Anthropic runs, or counts apart from the usage of the answer. */
const REFUSED = ['mcp_servers', 'container', 'compaction', 'fallback_credit_token'];
/** What has the listed price. */
const LISTED = { speed: 'standard', inference_geo: 'global' };

/** The Messages API of Anthropic, without anything that Anthropic keeps or runs. */
export const MESSAGES_RULES: CallRules = {
  dropped: ['user', 'metadata'],

  *faultsOf(fields) {
    yield* messagesFaults(fields);
    if (isAbsent(fields['max_tokens'])) yield fault('max_tokens', 'is_int', 'max_tokens is required.');
    else yield* countFaults(fields, 'max_tokens');
    yield* toolFaults(fields, (tool) => {
      const { type } = fieldsOf(tool);
      return isAbsent(type) || (typeof type === 'string' && OWN_TOOL.test(type));
    });
    for (const name of REFUSED)
      if (!isAbsent(fields[name])) yield fault(name, 'unknown_field', `${name} is not supported.`);
    for (const [name, value] of Object.entries(LISTED))
      if (!isAbsent(fields[name]) && fields[name] !== value)
        yield { ...fault(name, 'is_in', `${name} must have the listed price of the model.`), expected: [value] };
    const at = listOf(fieldsOf(fields['context_management'])['edits']).findIndex(isCompaction);
    if (at !== -1)
      yield fault(`context_management.edits[${at}].type`, 'is_in', 'Compaction is not supported: it is counted apart.');
    yield* streamFaults(fields);
    yield* billingFaults(fields);
  },

  choicesOf: () => 1,
  maxTokensOf: (fields) => countIn(fields, 'max_tokens'),
  isStream: ({ stream }) => stream === true,
  // The protocol has it in its last events.
  showsUsage: () => true,

  decide: (_, { user }) => ({ metadata: { user_id: user } }),
};

const isCompaction = (edit: unknown): boolean => textOf(fieldsOf(edit)['type'])?.startsWith('compact') ?? false;
