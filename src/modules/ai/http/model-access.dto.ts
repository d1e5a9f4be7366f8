import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AnswerMeta } from '../../../platform/http/page.js';
import type { ShownKey } from '../../auth/keys.service.js';

export class ModelAccessView {
  @ApiProperty({ description: 'True when deploys of the project have a key for models.' }) enabled!: boolean;
  @ApiPropertyOptional({
    type: String,
    description: 'The key. A budget for it is set with `PUT /api/v1/billing/budgets/key:<key_id>`.',
    example: 'key_01jd3m8yeqf5rb0xkq5ym8s6tn',
  })
  key_id?: string;
  @ApiPropertyOptional({ type: String, example: 'x7Qz' }) last4?: string;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) created_at?: string;

  static of(shown: ShownKey | undefined): ModelAccessView {
    if (shown === undefined) return { enabled: false };
    const { key, last4 } = shown;
    return { enabled: true, key_id: key.id, last4, created_at: key.createdAt.toISOString() };
  }
}

export class ModelAccessAnswer {
  @ApiProperty({ type: ModelAccessView }) data!: ModelAccessView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
