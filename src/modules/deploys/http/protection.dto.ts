import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsString, Max, MaxLength, Min, MinLength } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta } from '../../../platform/http/page.js';
import { PROTECTION_MODES, type ProtectionMode } from '../../hosting/protection-mode.js';
import type { AccessLink, Protection } from '../../hosting/protections.service.js';
import type { ChangeProtectionInput } from '../protection/project-protection.service.js';

const DAY_SECONDS = 86_400;
const MODES =
  'none: everybody. members: only holders of a signed link, which members create. ' +
  'password: those, and anybody who knows the password.';

export class ChangeProtectionBody {
  @ApiPropertyOptional({
    enum: PROTECTION_MODES,
    example: 'password',
    description: `Who may open the hosts of branches and of single deploys. ${MODES}`,
  })
  @MayBeAbsent()
  @IsIn(PROTECTION_MODES)
  readonly previews?: ProtectionMode;

  @ApiPropertyOptional({
    enum: PROTECTION_MODES,
    example: 'none',
    description: 'Who may open the production host. The modes are those of previews.',
  })
  @MayBeAbsent()
  @IsIn(PROTECTION_MODES)
  readonly production?: ProtectionMode;

  @ApiPropertyOptional({
    type: String,
    minLength: 8,
    maxLength: 128,
    example: 'a-password-for-reviewers',
    description: 'Required when a mode is password and there is no password yet. It is stored as a hash.',
  })
  @MayBeAbsent()
  @IsString()
  @MinLength(8)
  @MaxLength(128)
  readonly password?: string;

  get input(): ChangeProtectionInput {
    const { previews, production, password } = this;
    return { previews, production, password };
  }
}

export class CreateAccessLinkBody {
  @ApiPropertyOptional({
    type: String,
    maxLength: 260,
    example: 'shop-new-cart-x7qf2m4kab.apps.example.com',
    description: 'Host of the project to open. Defaults to the production host.',
  })
  @MayBeAbsent()
  @IsString()
  @MaxLength(260)
  readonly host?: string;
}

export class CreateShareLinkBody {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 60,
    maximum: 30 * DAY_SECONDS,
    default: DAY_SECONDS,
    example: DAY_SECONDS,
    description: 'Seconds after which the link, and the access of the browsers that followed it, end.',
  })
  @MayBeAbsent()
  @IsInt()
  @Min(60)
  @Max(30 * DAY_SECONDS)
  readonly expires_in: number = DAY_SECONDS;
}

export class ProtectionView {
  @ApiProperty({ enum: PROTECTION_MODES }) previews!: ProtectionMode;
  @ApiProperty({ enum: PROTECTION_MODES }) production!: ProtectionMode;
  @ApiProperty({ description: 'True if a password is set. It is never returned.' }) has_password!: boolean;
  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Absent until the protection is changed.' })
  updated_at?: string;

  static of({ previews, production, hasPassword, updatedAt }: Protection): ProtectionView {
    return {
      previews,
      production,
      has_password: hasPassword,
      ...(updatedAt === undefined ? {} : { updated_at: updatedAt.toISOString() }),
    };
  }
}

export class AccessLinkView {
  @ApiProperty({
    example: 'https://shop-k3f9x2a7cd.apps.example.com/?_service_access=l.…',
    description: 'Opens the host in a browser, which then keeps its access in a cookie.',
  })
  url!: string;
  @ApiProperty({
    example: 'l.…',
    description: 'The token of the link, for programs: they send it as the header `x-service-protection-bypass`.',
  })
  token!: string;
  @ApiProperty({ format: 'date-time' }) expires_at!: string;

  static of({ url, token, expiresAt }: AccessLink): AccessLinkView {
    return { url, token, expires_at: expiresAt.toISOString() };
  }
}

export class ProtectionAnswer {
  @ApiProperty({ type: ProtectionView }) data!: ProtectionView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class AccessLinkAnswer {
  @ApiProperty({ type: AccessLinkView }) data!: AccessLinkView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
