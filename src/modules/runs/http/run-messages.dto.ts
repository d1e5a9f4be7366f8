import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, Matches, ValidateBy } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import type { RunMessageInput } from '../requests/run-messages.js';
import { ANY_JSON, isStorable } from './run-fields.js';

const IsStorable = (): PropertyDecorator =>
  ValidateBy({
    name: 'isStorable',
    validator: {
      validate: isStorable,
      defaultMessage: (fault) => `${fault?.property ?? 'the field'} must be JSON of at most 262144 bytes`,
    },
  });

export class RunMessageBody {
  @ApiPropertyOptional({
    ...ANY_JSON,
    example: 'Use the staging database.',
    description: 'What the model reads next. With `call_id`, the answer to a question of the run.',
  })
  @MayBeAbsent()
  @IsStorable()
  readonly content?: unknown;

  @ApiPropertyOptional({ type: String, example: 'tcl_01jd3m8yeqf5rb0xkq5ym8s6tn' })
  @MayBeAbsent()
  @Matches(/^tcl_[0-9a-z]{26}$/)
  readonly call_id?: string;

  @ApiPropertyOptional({
    enum: ['happened', 'did_not_happen'],
    example: 'happened',
    description: 'What became of a call whose outcome is unknown.',
  })
  @MayBeAbsent()
  @IsIn(['happened', 'did_not_happen'])
  readonly outcome?: 'happened' | 'did_not_happen';

  @ApiPropertyOptional({ ...ANY_JSON, example: 'Order 1207 was placed.', description: 'With `outcome: happened`.' })
  @MayBeAbsent()
  @IsStorable()
  readonly output?: unknown;

  get input(): RunMessageInput {
    return { content: this.content, callId: this.call_id, outcome: this.outcome, output: this.output };
  }
}
