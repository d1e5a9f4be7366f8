import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AnswerMeta } from '../../../platform/http/page.js';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import type { PricedCall } from '../calls/call-billing.js';

/** What the service itself reads of a request. All other fields are those of the protocol, and are passed on. */
class ModelCallBody {
  @ApiProperty({ type: String, example: 'openai/gpt-mini', description: 'The ID or an alias of a model.' })
  model!: string;
  @ApiPropertyOptional({
    type: [String],
    maxItems: 4,
    example: ['anthropic/small'],
    description: 'Models that are tried, in this order, when `model` does not begin to answer.',
  })
  models?: string[];
}

export class ChatCompletionBody extends ModelCallBody {
  @ApiProperty({
    type: 'array',
    items: { type: 'object' },
    minItems: 1,
    description: 'The conversation.',
    example: [{ role: 'user', content: 'Hello' }],
  })
  messages!: object[];
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    example: 500,
    description:
      'The most tokens of an answer. Its price is held. Default: 8192, the limit of the model, or what the credits ' +
      'cover.',
  })
  max_tokens?: number;
  @ApiPropertyOptional({ type: 'integer', minimum: 1, example: 500, description: 'Does the same as `max_tokens`.' })
  max_completion_tokens?: number;
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 128, example: 1, description: 'The number of answers.' })
  n?: number;
  @ApiPropertyOptional({ type: Boolean, example: false, description: 'Sends the answer as server-sent events.' })
  stream?: boolean;
}

export class EmbeddingsBody extends ModelCallBody {
  @ApiProperty({
    description: 'A text, or a list of texts.',
    example: 'A sentence.',
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
  })
  input!: string | string[];
}

export class ResponseBody extends ModelCallBody {
  @ApiProperty({
    description: 'A text, or a list of items.',
    example: 'Hello',
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'object' } }],
  })
  input!: string | object[];
  @ApiPropertyOptional({ example: 'Answer briefly.', description: 'What the model reads before the input.' })
  instructions?: string;
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'object' },
    description: 'Tools that you run: `function`, `custom`, `local_shell` and `apply_patch`.',
    example: [{ type: 'function', name: 'weather', parameters: { type: 'object' } }],
  })
  tools?: object[];
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    example: 500,
    description:
      'The most tokens of an answer, with its reasoning. Its price is held. Default: 8192, the limit of the model, ' +
      'or what the credits cover.',
  })
  max_output_tokens?: number;
  @ApiPropertyOptional({ type: Boolean, example: false, description: 'Sends the answer as server-sent events.' })
  stream?: boolean;
  @ApiPropertyOptional({ enum: [false], example: false, description: 'Responses are not kept.' })
  store?: false;
}

export class MessageBody extends ModelCallBody {
  @ApiProperty({
    type: 'array',
    items: { type: 'object' },
    minItems: 1,
    description: 'The conversation.',
    example: [{ role: 'user', content: 'Hello' }],
  })
  messages!: object[];
  @ApiProperty({
    type: 'integer',
    minimum: 1,
    example: 500,
    description: 'The most tokens of an answer, with its thinking. Its price is held.',
  })
  max_tokens!: number;
  @ApiPropertyOptional({
    description: 'What the model reads before the conversation: a text, or a list of blocks.',
    example: 'Answer briefly.',
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'object' } }],
  })
  system?: string | object[];
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'object' },
    description: 'Tools that you run.',
    example: [{ name: 'weather', input_schema: { type: 'object' } }],
  })
  tools?: object[];
  @ApiPropertyOptional({ type: Boolean, example: false, description: 'Sends the answer as server-sent events.' })
  stream?: boolean;
}

export class PricedCallView {
  @ApiProperty({ example: '0.0131', description: 'The most that the call would cost, in US dollars.' })
  max_cost!: string;
  @ApiProperty({ type: 'integer', description: 'The estimate of the input, which is above its tokens.' })
  input_tokens!: number;
  @ApiPropertyOptional({ type: 'integer', description: 'The most tokens of an answer. Absent for embeddings.' })
  max_tokens?: number;

  static of({ maxCostNano, inputTokens, limits }: PricedCall): PricedCallView {
    return {
      max_cost: formatUsd(maxCostNano),
      input_tokens: inputTokens,
      ...(limits.maxTokens === undefined ? {} : { max_tokens: limits.maxTokens }),
    };
  }
}

export class PricedCallAnswer {
  @ApiProperty({ type: PricedCallView }) data!: PricedCallView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
