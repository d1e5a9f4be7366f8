import { fieldsOf } from '../../routers/upstream-json.js';
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
/** What Anthropic runs, or charges for with a price of its own. */
const REFUSED = ['mcp_servers', 'container', 'speed', 'inference_geo'];

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
