import { ApiProperty } from '@nestjs/swagger';
import { IsString, MinLength, ValidateBy } from 'class-validator';
import { MaxBytes } from '../../../platform/http/max-bytes.js';
import { AnswerMeta, PageMeta } from '../../../platform/http/page.js';
import { inOrder } from '../../../platform/text/text-fields.js';
import type { ShownSecret } from '../agent-secrets.service.js';

const MAX_VALUE_BYTES = 8_192;

/** What a header can carry, because secrets go into headers alone. */
const IsHeaderValue = (): PropertyDecorator =>
  ValidateBy({
    name: 'isHeaderValue',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && !/[\p{Cc}\p{Cs}]/u.test(value),
      defaultMessage: () => 'value must be one line without control characters',
    },
  });

export class SetAgentSecretBody {
  @ApiProperty({ example: 'a-token-of-the-shop', description: `At most ${MAX_VALUE_BYTES} bytes, on one line.` })
  @inOrder(IsString(), MinLength(1), MaxBytes(MAX_VALUE_BYTES), IsHeaderValue())
  readonly value!: string;
}

export class AgentSecretView {
  @ApiProperty({ example: 'SHOP_TOKEN' }) name!: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ format: 'date-time' }) updated_at!: string;

  static of({ name, createdAt, updatedAt }: ShownSecret): AgentSecretView {
    return { name, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() };
  }
}

export class AgentSecretAnswer {
  @ApiProperty({ type: AgentSecretView }) data!: AgentSecretView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class AgentSecretPageAnswer {
  @ApiProperty({ type: [AgentSecretView] }) data!: AgentSecretView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}
