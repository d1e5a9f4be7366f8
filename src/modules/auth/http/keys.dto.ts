import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsInt,
  IsISO8601,
  IsString,
  MaxLength,
  MinLength,
  Length,
  Max,
  Min,
  ValidateBy,
} from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, PageMeta } from '../../../platform/http/page.js';
import { IsTitle } from '../../../platform/text/text-fields.js';
import { normalRange } from '../domain/address-ranges.js';
import type { CreatedKey, ShownKey } from '../keys.service.js';
import { KEY_KINDS, type KeyKind } from '../principal.js';
import { type Preset, PRESETS, SCOPE_PATTERNS } from '../scopes.js';

const MAX_NAME_LENGTH = 100;
const MAX_LIST = 50;
const MAX_DAYS = 3_650;
const MAX_GRACE_SECONDS = 7 * 86_400;

const IsRange = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isAddressRange',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && normalRange(value) !== undefined,
        defaultMessage: () => 'each value in allowed_ips must be an IP address or a CIDR such as 203.0.113.0/24',
      },
    },
    { each: true },
  );

/** These fields can be changed later as well. */
class KeyFields {
  @ApiPropertyOptional({
    example: ['projects:read', 'deploys:*'],
    enum: SCOPE_PATTERNS,
    isArray: true,
    description:
      'Scopes such as `projects:read`, all scopes of a resource such as `projects:*`, or all scopes with `*`.',
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_LIST)
  @IsIn(SCOPE_PATTERNS, { each: true })
  readonly scopes?: string[];

  @ApiPropertyOptional({
    type: [String],
    description: 'IP addresses and CIDRs that the key can be used from. An empty list allows every address.',
    example: ['203.0.113.0/24'],
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(MAX_LIST)
  @IsRange()
  readonly allowed_ips?: string[];
}

export class CreateKeyBody extends KeyFields {
  @ApiProperty({ minLength: 1, maxLength: MAX_NAME_LENGTH, example: 'ci' })
  @IsTitle()
  readonly name!: string;

  @ApiPropertyOptional({ example: 'personal', enum: KEY_KINDS, default: 'personal' })
  @MayBeAbsent()
  @IsIn(KEY_KINDS)
  readonly kind: KeyKind = 'personal';

  @ApiPropertyOptional({
    example: 'ci_deploy',
    enum: PRESETS,
    description: 'Scopes for a purpose, instead of `scopes`. The default is `full`.',
  })
  @MayBeAbsent()
  @IsIn(PRESETS)
  readonly preset?: Preset;

  @ApiPropertyOptional({
    example: 'acme',
    type: String,
    description: 'Id or slug of the organization of an org-bound key.',
  })
  @MayBeAbsent()
  @IsString()
  @Length(1, 64)
  readonly org_id?: string;

  @ApiPropertyOptional({
    example: ['acme', 'example-labs'],
    type: [String],
    description: 'Ids or slugs of the organizations that a select-orgs key has access to.',
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_LIST)
  @IsString({ each: true })
  @Length(1, 64, { each: true })
  readonly org_ids?: string[];

  @ApiPropertyOptional({
    example: '2035-01-31T00:00:00Z',
    type: String,
    format: 'date-time',
    description:
      'When the key expires. Without it or `expires_in_days`, the key has the longest lifetime that its ' +
      'organizations allow (`key_lifetime_days`), and else never expires.',
  })
  @MayBeAbsent()
  @IsISO8601({ strict: true, strictSeparator: true })
  readonly expires_at?: string;

  @ApiPropertyOptional({ example: 90, type: 'integer', minimum: 1, maximum: MAX_DAYS })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(MAX_DAYS)
  readonly expires_in_days?: number;
}

/** Some of the fields exclude each other, so one example cannot show all of them. */
export const CREATE_KEY_EXAMPLES = {
  personal: {
    summary: 'A key for CI that expires',
    value: { name: 'ci', preset: 'ci_deploy', expires_in_days: 90 },
  },
  org_bound: {
    summary: 'A read-only key for one organization',
    value: { name: 'dashboard', kind: 'org_bound', org_id: 'acme', scopes: ['projects:read', 'deploys:read'] },
  },
  select_orgs: {
    summary: 'A key for two organizations, from one network',
    value: {
      name: 'reports',
      kind: 'select_orgs',
      org_ids: ['acme', 'example-labs'],
      scopes: ['billing:read'],
      allowed_ips: ['203.0.113.0/24'],
      expires_at: '2035-01-31T00:00:00Z',
    },
  },
};

export class ChangeKeyBody extends KeyFields {
  @ApiPropertyOptional({ example: 'shop ci', type: String, minLength: 1, maxLength: MAX_NAME_LENGTH })
  @MayBeAbsent()
  @IsTitle()
  readonly name?: string;

  @ApiPropertyOptional({ example: '2035-01-31T00:00:00Z', type: String, format: 'date-time' })
  @MayBeAbsent()
  @IsISO8601({ strict: true, strictSeparator: true })
  readonly expires_at?: string;
}

export class RotateKeyBody {
  @ApiPropertyOptional({
    example: 3_600,
    type: 'integer',
    minimum: 0,
    maximum: MAX_GRACE_SECONDS,
    default: 0,
    description: 'How long the old secret still works. It never works longer than the key.',
  })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(MAX_GRACE_SECONDS)
  readonly grace_seconds: number = 0;
}

export class AuthorizeKeyBody {
  @ApiProperty({ description: 'Id or slug of the organization.', maxLength: 100, example: 'acme' })
  @IsString()
  @MinLength(1)
  @MaxLength(100)
  readonly org!: string;
}

export class KeyView {
  @ApiProperty({ example: 'key_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ enum: KEY_KINDS }) kind!: KeyKind;
  @ApiProperty({
    enum: ['api', 'oauth'],
    example: 'api',
    description: '`oauth`: the key belongs to a grant of an OAuth client, has no secret and cannot be rotated.',
  })
  source!: 'api' | 'oauth';
  @ApiProperty() name!: string;
  @ApiProperty({ enum: SCOPE_PATTERNS, isArray: true }) scopes!: string[];
  @ApiProperty({ description: 'Owner of the key.' }) user_id!: string;
  @ApiPropertyOptional({ type: String, description: 'Organization of an org-bound key.' }) org_id?: string;
  @ApiPropertyOptional({ type: [String], description: 'Organizations of a select-orgs key.' }) org_ids?: string[];
  @ApiPropertyOptional({ type: String, description: 'Project whose deploys call models with the key.' })
  project_id?: string;
  @ApiProperty({ example: 'svc_pat_' }) prefix!: string;
  @ApiProperty({ example: 'x7Qz' }) last4!: string;
  @ApiProperty({ enum: ['active', 'expired', 'revoked'] }) status!: 'active' | 'expired' | 'revoked';
  @ApiPropertyOptional({
    type: Boolean,
    description:
      'True for an active key that is older than `key_lifetime_days` of an organization and lives longer than that.',
  })
  exceeds_lifetime_policy?: boolean;
  @ApiPropertyOptional({
    type: [String],
    description: 'Organizations whose SSO connection its owner came through when the key was made or authorized.',
  })
  sso_org_ids?: string[];
  @ApiPropertyOptional({ type: [String] }) allowed_ips?: string[];
  @ApiPropertyOptional({ type: String, format: 'date-time' }) expires_at?: string;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) revoked_at?: string;
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'Time of the last use, accurate to a few seconds.',
  })
  last_used_at?: string;
  @ApiPropertyOptional({ type: String }) last_used_ip?: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;

  static of({ key, last4, prefix, status, outlivesPolicy }: ShownKey): KeyView {
    return {
      id: key.id,
      kind: key.kind,
      source: key.source,
      name: key.name,
      scopes: key.scopes,
      user_id: key.userId,
      ...(key.kind === 'org_bound' ? { org_id: key.homeOrgId } : {}),
      ...(key.kind === 'select_orgs' ? { org_ids: key.orgIds } : {}),
      prefix,
      last4,
      status,
      ...(key.projectId === null ? {} : { project_id: key.projectId }),
      ...(outlivesPolicy ? { exceeds_lifetime_policy: true } : {}),
      ...(key.ssoOrgIds.length === 0 ? {} : { sso_org_ids: key.ssoOrgIds }),
      ...(key.allowedIps.length === 0 ? {} : { allowed_ips: key.allowedIps }),
      ...(key.expiresAt === null ? {} : { expires_at: key.expiresAt.toISOString() }),
      ...(key.revokedAt === null ? {} : { revoked_at: key.revokedAt.toISOString() }),
      ...(key.lastUsedAt === null ? {} : { last_used_at: key.lastUsedAt.toISOString() }),
      ...(key.lastUsedIp === null ? {} : { last_used_ip: key.lastUsedIp }),
      created_at: key.createdAt.toISOString(),
    };
  }
}

export class MintedKeyView extends KeyView {
  @ApiProperty({ description: 'The key itself, which is returned only once.', example: 'svc_pat_…' }) secret!: string;

  static override of(created: CreatedKey): MintedKeyView {
    const view: Omit<MintedKeyView, 'secret'> = KeyView.of(created);
    return { ...view, secret: created.secret };
  }
}

export class KeyAnswer {
  @ApiProperty({ type: KeyView }) data!: KeyView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class MintedKeyAnswer {
  @ApiProperty({ type: MintedKeyView }) data!: MintedKeyView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class KeyPageAnswer {
  @ApiProperty({ type: [KeyView] }) data!: KeyView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}
