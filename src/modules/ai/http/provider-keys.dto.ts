import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Matches, ValidateBy } from 'class-validator';
import { AnswerMeta } from '../../../platform/http/page.js';
import { tokenKindOf } from '../../auth/token-format.js';
import { ROUTER_TYPES, type RouterType } from '../catalog/models-file.js';
import type { Provider, ShownProviderKey } from '../provider-keys/provider-keys.service.js';

/** What every provider's keys have, and what fits into a header. */
const API_KEY = /^[!-~]{16,4096}$/;

/** A key of this service is not meant for others. */
const IsForeign = (): PropertyDecorator =>
  ValidateBy({
    name: 'isForeign',
    validator: {
      validate: (value: unknown) => typeof value !== 'string' || tokenKindOf(value) === undefined,
      defaultMessage: () => 'api_key is a key of this service. Use the key of the provider.',
    },
  });

export class SetProviderKeyBody {
  @ApiProperty({
    minLength: 16,
    maxLength: 4096,
    example: 'sk-or-v1-0000000000000000',
    description: 'A key of your own account at the provider. It is stored encrypted, and never shown again.',
  })
  @IsForeign()
  @Matches(API_KEY, { message: 'api_key must be 16 to 4096 characters of printable ASCII without spaces.' })
  readonly api_key!: string;
}

export class ProviderKeyView {
  @ApiProperty({ example: 'openrouter' }) provider!: string;
  @ApiProperty({ example: 'x7Qz', description: 'The last four characters of the key.' }) last4!: string;
  @ApiProperty({ format: 'date-time' }) set_at!: string;

  static of({ router, last4, setAt }: ShownProviderKey): ProviderKeyView {
    return { provider: router, last4, set_at: setAt.toISOString() };
  }
}

export class ProviderView {
  @ApiProperty({ example: 'openrouter' }) id!: string;
  @ApiProperty({ enum: ROUTER_TYPES }) type!: RouterType;
  @ApiProperty({ type: Boolean, description: 'True when organizations can set a key of their own.' })
  takes_own_keys!: boolean;
  @ApiProperty({ type: Boolean, description: 'True when the operator has set a key.' }) has_service_key!: boolean;
  @ApiPropertyOptional({ type: ProviderKeyView, description: 'The key of the organization. Absent without one.' })
  key?: ProviderKeyView;

  static of({ id, type, takesOwnKeys, hasServiceKey, key }: Provider): ProviderView {
    return {
      id,
      type,
      takes_own_keys: takesOwnKeys,
      has_service_key: hasServiceKey,
      ...(key === undefined ? {} : { key: ProviderKeyView.of(key) }),
    };
  }
}

export class ProviderListAnswer {
  @ApiProperty({ type: [ProviderView] }) data!: ProviderView[];
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class ProviderKeyAnswer {
  @ApiProperty({ type: ProviderKeyView }) data!: ProviderKeyView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
