import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, MaxLength, MinLength } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta } from '../../../platform/http/page.js';
import { IsPasskeyAnswer, PASSKEY_FIELD, PASSKEY_OPTIONS } from '../../factors/passkey-field.js';
import type { PasskeyAnswer, PublicKeyCredentialRequestOptionsJSON } from '../../factors/second-factors.service.js';
import { IsKnownPassword } from './fields.js';

const TOKEN = {
  description: 'Token of the sign-in, from `details` of `second_factor_required`.',
  example: 'svc_flow_…',
};
const CODE = { type: String, description: 'Code of an authenticator app, or a recovery code.', example: '492039' };
const PASSKEY = { ...PASSKEY_FIELD, description: 'Answer of `navigator.credentials.get()` as JSON.' };

export class FlowTokenBody {
  @ApiProperty(TOKEN)
  @IsString()
  @MinLength(1)
  @MaxLength(100)
  readonly token!: string;
}

export class SecondFactorBody extends FlowTokenBody {
  @ApiPropertyOptional(CODE)
  @MayBeAbsent()
  @IsString()
  @MinLength(1)
  @MaxLength(40)
  readonly code?: string;

  @ApiPropertyOptional(PASSKEY)
  @MayBeAbsent()
  @IsPasskeyAnswer()
  readonly passkey?: PasskeyAnswer;
}

export class PasskeySignInBody {
  @ApiProperty(PASSKEY)
  @IsPasskeyAnswer()
  readonly passkey!: PasskeyAnswer;
}

export class ConfirmSessionBody {
  @ApiPropertyOptional({ type: String, format: 'password', example: 'violet-harbor-lantern-42' })
  @MayBeAbsent()
  @IsKnownPassword()
  readonly password?: string;

  @ApiPropertyOptional(CODE)
  @MayBeAbsent()
  @IsString()
  @MinLength(1)
  @MaxLength(40)
  readonly code?: string;

  @ApiPropertyOptional(PASSKEY)
  @MayBeAbsent()
  @IsPasskeyAnswer()
  readonly passkey?: PasskeyAnswer;
}

export class PasskeyRequestView {
  @ApiProperty({ ...PASSKEY_OPTIONS, description: 'Options of `navigator.credentials.get()` as JSON.' })
  options!: PublicKeyCredentialRequestOptionsJSON;
}

export class PasskeyRequestAnswer {
  @ApiProperty({ type: PasskeyRequestView }) data!: PasskeyRequestView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class SessionConfirmedView {
  @ApiProperty({ type: Boolean, enum: [true] }) confirmed!: true;
}

export class SessionConfirmedAnswer {
  @ApiProperty({ type: SessionConfirmedView }) data!: SessionConfirmedView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class FactorRecoveryView {
  @ApiProperty({ format: 'date-time', description: 'When your factors are removed, unless that is stopped.' })
  due_at!: string;
}

export class FactorRecoveryAnswer {
  @ApiProperty({ type: FactorRecoveryView }) data!: FactorRecoveryView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
