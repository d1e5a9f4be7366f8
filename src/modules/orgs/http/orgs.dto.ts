import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique, IsArray, IsBoolean, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { MayBeAbsent, MayBeCleared } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, PageMeta } from '../../../platform/http/page.js';
import { IsEmailAddress, IsTitle } from '../../../platform/text/text-fields.js';
import { PLAN_IDS, type PlanId } from '../../plans/plan.js';
import { ORG_ROLES, type OrgRole } from '../../auth/org-role.js';
import type { Invitation } from '../persistence/invitation.entity.js';
import type { Member } from '../members/members.service.js';
import type { OwnOrganization } from '../persistence/organizations.store.js';
import { IsName } from '../slug-field.js';

const TITLE = { minLength: 1, maxLength: 100, example: 'Acme' };
/** No key lives longer than this, whatever its organization allows. */
const MAX_KEY_DAYS = 3_650;
const MAX_SSO_HOURS = 720;
const SLUG = { type: String, pattern: '^[a-z0-9](-?[a-z0-9])*$', minLength: 2, maxLength: 39, example: 'acme' };

export class CreateOrgBody {
  @ApiProperty(TITLE)
  @IsTitle()
  readonly name!: string;

  @ApiPropertyOptional({
    ...SLUG,
    description: 'Identifies the organization in paths and headers. The default is derived from the name.',
  })
  @MayBeAbsent()
  @IsName()
  readonly slug?: string;
}

export class ChangeOrgBody {
  @ApiPropertyOptional({ ...TITLE, type: String })
  @MayBeAbsent()
  @IsTitle()
  readonly name?: string;

  @ApiPropertyOptional({
    ...SLUG,
    description: 'The old slug is free for others at once. A personal organization keeps its slug.',
  })
  @MayBeAbsent()
  @IsName()
  readonly slug?: string;

  @ApiPropertyOptional({
    type: Boolean,
    description:
      'Refuses members without a second factor, and their keys. You need one to require it. Not for personal ' +
      'organizations.',
    example: true,
  })
  @MayBeAbsent()
  @IsBoolean()
  readonly second_factor_required?: boolean;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    minimum: 1,
    maximum: MAX_KEY_DAYS,
    example: 90,
    description:
      'The longest lifetime of keys that reach the organization, and that of keys which ask for none. It counts for ' +
      'keys that are created from now on. Null removes it.',
  })
  @MayBeCleared()
  @IsInt()
  @Min(1)
  @Max(MAX_KEY_DAYS)
  readonly key_lifetime_days?: number | null;

  @ApiPropertyOptional({
    type: Boolean,
    description:
      'Lets in only sessions that came through an SSO connection of the organization, and keys that such a session ' +
      'made or authorized. Only an owner in such a session can switch it on.',
    example: true,
  })
  @MayBeAbsent()
  @IsBoolean()
  readonly sso_required?: boolean;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_SSO_HOURS,
    example: 12,
    description: 'For how many hours a sign-in through SSO counts. The default is 12.',
  })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(MAX_SSO_HOURS)
  readonly sso_session_hours?: number;

  @ApiPropertyOptional({
    type: [String],
    maxItems: 2,
    example: ['usr_01jd3m8yeqf5rb0xkq5ym8s6tn'],
    description:
      'Ids of up to two owners who may enter with a passkey while SSO is required, such as when the provider fails. ' +
      'Each such entry is recorded, and all owners get a message.',
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(2)
  @ArrayUnique()
  @IsString({ each: true })
  readonly sso_exempt_owners?: readonly string[];
}

class OrgSsoView {
  @ApiProperty({ description: 'True while members can sign in through an SSO connection.' }) active!: boolean;
  @ApiProperty({ description: 'True when nothing else lets members in.' }) required!: boolean;
  @ApiProperty({ type: 'integer', description: 'For how many hours a sign-in through SSO counts.' })
  session_hours!: number;
  @ApiProperty({ type: [String], description: 'Owners who may enter with a passkey while SSO is required.' })
  exempt_owners!: readonly string[];
}

export class OrgView {
  @ApiProperty({ example: 'org_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'acme' }) slug!: string;
  @ApiProperty({ example: 'Acme' }) name!: string;
  @ApiProperty({ enum: PLAN_IDS }) plan!: PlanId;
  @ApiProperty({ enum: ORG_ROLES, description: 'Role of the caller.' }) role!: OrgRole;
  @ApiProperty({ description: "True for the caller's personal organization." }) personal!: boolean;
  @ApiProperty({ description: 'True when members without a second factor have no access.' })
  second_factor_required!: boolean;
  @ApiPropertyOptional({ type: 'integer', description: 'The longest lifetime of new keys, in days.' })
  key_lifetime_days?: number;
  @ApiProperty({ type: OrgSsoView }) sso!: OrgSsoView;
  @ApiProperty({ format: 'date-time' }) created_at!: string;

  static of(organization: OwnOrganization): OrgView {
    const { id, slug, name, plan, role, personal, secondFactorRequired, keyLifetimeDays, sso, createdAt } =
      organization;
    return {
      id,
      slug,
      name,
      plan,
      role,
      personal,
      second_factor_required: secondFactorRequired,
      ...(keyLifetimeDays === null ? {} : { key_lifetime_days: keyLifetimeDays }),
      sso: {
        active: sso.isActive,
        required: sso.isRequired,
        session_hours: sso.sessionHours,
        exempt_owners: sso.exemptOwnerIds,
      },
      created_at: createdAt.toISOString(),
    };
  }
}

export class OrgAnswer {
  @ApiProperty({ type: OrgView }) data!: OrgView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class OrgPageAnswer {
  @ApiProperty({ type: [OrgView] }) data!: OrgView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}

export class InviteBody {
  @ApiProperty({ format: 'email', maxLength: 254, example: 'grace@example.org' })
  @IsEmailAddress()
  readonly email!: string;

  @ApiProperty({ example: 'member', enum: ORG_ROLES })
  @IsIn(ORG_ROLES)
  readonly role!: OrgRole;
}

export class ChangeRoleBody {
  @ApiProperty({ example: 'admin', enum: ORG_ROLES })
  @IsIn(ORG_ROLES)
  readonly role!: OrgRole;
}

class MemberUserView {
  @ApiProperty({ example: 'usr_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'ada' }) username!: string;
}

export class MemberView {
  @ApiProperty({ type: MemberUserView }) user!: MemberUserView;
  @ApiProperty({ enum: ORG_ROLES }) role!: OrgRole;
  @ApiProperty({ format: 'date-time' }) joined_at!: string;

  static of({ userId, username, role, joinedAt }: Member): MemberView {
    return { user: { id: userId, username }, role, joined_at: joinedAt.toISOString() };
  }
}

export class MemberAnswer {
  @ApiProperty({ type: MemberView }) data!: MemberView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class MemberPageAnswer {
  @ApiProperty({ type: [MemberView] }) data!: MemberView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}

export class InvitationView {
  @ApiProperty({ example: 'inv_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'grace@example.org' }) email!: string;
  @ApiProperty({ enum: ORG_ROLES }) role!: OrgRole;
  @ApiProperty({ description: 'Id of the member who sent the invitation.', example: 'usr_01jd3m8yeqf5rb0xkq5ym8s6tn' })
  invited_by!: string;
  @ApiProperty({ format: 'date-time' }) expires_at!: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;

  static of({ id, email, role, invitedBy, expiresAt, createdAt }: Invitation): InvitationView {
    return {
      id,
      email,
      role,
      invited_by: invitedBy,
      expires_at: expiresAt.toISOString(),
      created_at: createdAt.toISOString(),
    };
  }
}

export class InvitationAnswer {
  @ApiProperty({ type: InvitationView }) data!: InvitationView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class InvitationPageAnswer {
  @ApiProperty({ type: [InvitationView] }) data!: InvitationView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}
