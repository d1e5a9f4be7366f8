import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, MaxLength, MinLength } from 'class-validator';
import { AnswerMeta } from '../../../platform/http/page.js';
import { IsTitle } from '../../../platform/text/text-fields.js';
import type { AddedFactor } from '../changes/added-factor.js';
import type { Factor, FactorOverview } from '../factors.service.js';
import { IsPasskeyAnswer, PASSKEY_FIELD, PASSKEY_OPTIONS } from '../passkey-field.js';
import type { PasskeyAnswer, PublicKeyCredentialCreationOptionsJSON } from '../passkeys/relying-party.js';
import { totpUri } from '../totp/totp.js';
import type { NewTotp } from '../totp/totp-setup.service.js';

const FACTOR_TYPES = ['totp', 'passkey'] as const;
const RECOVERY_CODES = {
  type: String,
  isArray: true as const,
  example: ['7kq2m-x9d4r'],
  description: 'Ten codes, each of which works once in place of a factor. They are returned only once.',
};

export class ConfirmTotpBody {
  @ApiProperty({ description: 'Code that the authenticator app shows now.', example: '492039' })
  @IsString()
  @MinLength(1)
  @MaxLength(20)
  readonly code!: string;
}

export class AddPasskeyBody {
  @ApiProperty({ minLength: 1, maxLength: 100, example: 'Laptop' })
  @IsTitle()
  readonly name!: string;

  @ApiProperty({ ...PASSKEY_FIELD, description: 'Answer of `navigator.credentials.create()` as JSON.' })
  @IsPasskeyAnswer()
  readonly passkey!: PasskeyAnswer;
}

export class FactorView {
  @ApiProperty({ example: 'fac_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ enum: FACTOR_TYPES }) type!: (typeof FACTOR_TYPES)[number];
  @ApiPropertyOptional({ type: String, description: 'Name of a passkey.', example: 'Laptop' }) name?: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) last_used_at?: string;

  static of({ id, type, name, createdAt, lastUsedAt }: Factor): FactorView {
    return {
      id,
      type,
      ...(name === undefined ? {} : { name }),
      created_at: createdAt.toISOString(),
      ...(lastUsedAt === null ? {} : { last_used_at: lastUsedAt.toISOString() }),
    };
  }
}

export class FactorsView {
  @ApiProperty({ type: [FactorView] }) factors!: FactorView[];
  @ApiProperty({ description: 'Number of recovery codes that still work.', example: 10 }) recovery_codes_left!: number;
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'When all factors are removed, because a caller with the password says that they are lost.',
  })
  recovery_due_at?: string;

  static of({ factors, recoveryCodesLeft, recoveryDueAt }: FactorOverview): FactorsView {
    return {
      factors: factors.map((factor) => FactorView.of(factor)),
      recovery_codes_left: recoveryCodesLeft,
      ...(recoveryDueAt === undefined ? {} : { recovery_due_at: recoveryDueAt.toISOString() }),
    };
  }
}

export class FactorsAnswer {
  @ApiProperty({ type: FactorsView }) data!: FactorsView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class NewTotpView {
  @ApiProperty({ example: 'fac_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ description: 'Secret in base32, to type into an app.', example: 'JBSWY3DPEHPK3PXP…' })
  secret!: string;
  @ApiProperty({ description: 'The same as an address, for a QR code.', example: 'otpauth://totp/…' }) uri!: string;

  static of({ id, secret }: NewTotp, { issuer, account }: { issuer: string; account: string }): NewTotpView {
    return { id, secret, uri: totpUri({ secret, issuer, account }) };
  }
}

export class NewTotpAnswer {
  @ApiProperty({ type: NewTotpView }) data!: NewTotpView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class AddedFactorView {
  @ApiProperty({ example: 'fac_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiPropertyOptional({ ...RECOVERY_CODES, description: `${RECOVERY_CODES.description} Only with the first factor.` })
  recovery_codes?: string[];

  static of({ id, recoveryCodes }: AddedFactor): AddedFactorView {
    return { id, ...(recoveryCodes === undefined ? {} : { recovery_codes: [...recoveryCodes] }) };
  }
}

export class AddedFactorAnswer {
  @ApiProperty({ type: AddedFactorView }) data!: AddedFactorView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class PasskeyCreationView {
  @ApiProperty({ ...PASSKEY_OPTIONS, description: 'Options of `navigator.credentials.create()` as JSON.' })
  options!: PublicKeyCredentialCreationOptionsJSON;
}

export class PasskeyCreationAnswer {
  @ApiProperty({ type: PasskeyCreationView }) data!: PasskeyCreationView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class RecoveryCodesView {
  @ApiProperty(RECOVERY_CODES) recovery_codes!: string[];
}

export class RecoveryCodesAnswer {
  @ApiProperty({ type: RecoveryCodesView }) data!: RecoveryCodesView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
