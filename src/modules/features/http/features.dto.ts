import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsInt, IsString, MaxLength, Min, MinLength } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { inOrder, IsOneLine } from '../../../platform/text/text-fields.js';
import type { ShownFlag, Toggled } from '../flags/flag-administration.service.js';

export class ToggleFlagBody {
  @ApiProperty({ example: 'sign_ups', maxLength: 64 })
  @inOrder(IsString(), MinLength(1), MaxLength(64), IsOneLine())
  readonly name!: string;

  @ApiProperty({ example: false })
  @IsBoolean()
  readonly enabled!: boolean;

  @ApiPropertyOptional({
    example: 'Sign-ups are abused',
    maxLength: 500,
    description: 'The reason for the change, stored in its audit row.',
  })
  @MayBeAbsent()
  @inOrder(IsString(), MaxLength(500), IsOneLine())
  readonly reason?: string;

  @ApiPropertyOptional({
    example: 3,
    type: 'integer',
    minimum: 0,
    description: 'The version that you have read; the call is refused with 409 if it has changed.',
  })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  readonly expectedVersion?: number;
}

export class FlagView {
  @ApiProperty({ example: 'sign_ups' }) name!: string;
  @ApiProperty() enabled!: boolean;
  @ApiProperty() default!: boolean;
  @ApiProperty({ enum: ['default', 'database', 'env'] }) source!: string;
  @ApiProperty({ description: 'True when POST /ops/features can toggle the flag.' }) allowlisted!: boolean;
  @ApiProperty() description!: string;
  @ApiProperty({ type: 'integer', description: 'The number of toggles; 0 for a flag that was never toggled.' })
  version!: number;
  @ApiPropertyOptional({ format: 'date-time' }) updatedAt?: string;
  @ApiPropertyOptional({ type: String }) updatedBy?: string;

  static of({ updatedAt, updatedBy, ...flag }: ShownFlag): FlagView {
    return {
      ...flag,
      ...(updatedAt === undefined ? {} : { updatedAt: updatedAt.toISOString() }),
      ...(updatedBy === undefined ? {} : { updatedBy }),
    };
  }
}

export class FlagsView {
  @ApiProperty({ type: [FlagView] }) flags!: FlagView[];
  @ApiProperty({ type: [String], description: '`FEATURE_FLAG_ALLOWLIST`.' }) allowlist!: string[];

  static of(flags: readonly ShownFlag[], allowlist: readonly string[]): FlagsView {
    return { flags: flags.map((flag) => FlagView.of(flag)), allowlist: [...allowlist] };
  }
}

export class ToggledView {
  @ApiProperty({ type: FlagView }) flag!: FlagView;
  @ApiProperty() previous!: boolean;
  @ApiProperty({ example: 'aud_01jd3m8yeqf5rb0xkq5ym8s6tn' }) auditId!: string;

  static of({ flag, previous, auditId }: Toggled): ToggledView {
    return { flag: FlagView.of(flag), previous, auditId };
  }
}
