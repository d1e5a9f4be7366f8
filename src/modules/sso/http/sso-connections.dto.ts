import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsObject,
  IsString,
  Matches,
  MaxLength,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { inOrder, IsOneLine, IsTitle } from '../../../platform/text/text-fields.js';
import { CompleteFlowBody } from '../../identities/complete-flow-body.js';
import type { ManagedRole } from '../../orgs/managed-memberships.js';
import { CONNECTION_TYPES, type ConnectionType, GIVEN_ROLES } from '../connections/sso-connection.js';

const MAX_METADATA = 262_144;
const MAX_CERTIFICATES = 10;
const MAX_CERTIFICATE = 20_000;
const MAX_GROUP_ROLES = 200;
const MAX_MAPPED = 200;
const CHALLENGE_FORM = /^[A-Za-z0-9_-]{43}$/;

const Line = (max: number): PropertyDecorator => inOrder(IsString(), MinLength(1), MaxLength(max), IsOneLine());
const Mapped = (): PropertyDecorator => inOrder(MayBeAbsent(), Line(MAX_MAPPED));
/** A list, and not a value in its place, whose length would then be counted. */
const List = (max: number): PropertyDecorator => inOrder(IsArray(), ArrayMaxSize(max));

const ISSUER = { maxLength: 500, example: 'https://acme.okta.com', description: 'Exactly as the provider shows it.' };
const CLIENT_ID = { maxLength: 255, example: '0oa1b2c3d4' };
const CLIENT_SECRET = { maxLength: 1000, example: 'secret-of-the-client', description: 'It is never returned.' };

const OIDC_EXAMPLE = {
  issuer: ISSUER.example,
  client_id: CLIENT_ID.example,
  client_secret: CLIENT_SECRET.example,
};
const SAML_EXAMPLE = { metadata_url: 'https://idp.acme.com/metadata' };

export class OidcBody {
  @ApiProperty(ISSUER) @Line(500) readonly issuer!: string;
  @ApiProperty(CLIENT_ID) @Line(255) readonly client_id!: string;
  @ApiProperty(CLIENT_SECRET) @Line(1_000) readonly client_secret!: string;
}

export class UpdateOidcBody {
  @ApiPropertyOptional({ ...ISSUER, type: String }) @MayBeAbsent() @Line(500) readonly issuer?: string;
  @ApiPropertyOptional({ ...CLIENT_ID, type: String }) @MayBeAbsent() @Line(255) readonly client_id?: string;
  @ApiPropertyOptional({ ...CLIENT_SECRET, type: String, description: 'Required with another issuer.' })
  @MayBeAbsent()
  @Line(1_000)
  readonly client_secret?: string;
}

export class SamlBody {
  @ApiPropertyOptional({
    type: String,
    maxLength: MAX_METADATA,
    example: '<md:EntityDescriptor …>',
    description: 'Metadata of one identity provider.',
  })
  @MayBeAbsent()
  @IsString()
  @MinLength(1)
  @MaxLength(MAX_METADATA)
  readonly metadata_xml?: string;

  @ApiPropertyOptional({
    type: String,
    maxLength: 1000,
    example: 'https://idp.acme.com/metadata',
    description: 'An https URL of metadata, in place of `metadata_xml`. It is read again each day.',
  })
  @MayBeAbsent()
  @Line(1_000)
  readonly metadata_url?: string;

  @ApiPropertyOptional({
    type: String,
    maxLength: 1024,
    example: 'https://idp.acme.com',
    description: 'In place of metadata, together with `sso_url` and `certificates`.',
  })
  @MayBeAbsent()
  @Line(1_024)
  readonly entity_id?: string;

  @ApiPropertyOptional({ type: String, maxLength: 2048, example: 'https://idp.acme.com/sso' })
  @MayBeAbsent()
  @Line(2_048)
  readonly sso_url?: string;

  @ApiPropertyOptional({
    type: [String],
    maxItems: MAX_CERTIFICATES,
    example: ['-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----'],
    description: 'Certificates that the provider signs with, as PEM.',
  })
  @MayBeAbsent()
  @List(MAX_CERTIFICATES)
  @ArrayMinSize(1)
  @IsString({ each: true })
  @MaxLength(MAX_CERTIFICATE, { each: true })
  readonly certificates?: string[];
}

export class MappingBody {
  @ApiPropertyOptional({
    type: String,
    maxLength: MAX_MAPPED,
    example: 'oid',
    description: 'Default: `sub` or NameID.',
  })
  @Mapped()
  readonly subject?: string;
  @ApiPropertyOptional({ type: String, maxLength: MAX_MAPPED, example: 'email' }) @Mapped() readonly email?: string;
  @ApiPropertyOptional({ type: String, maxLength: MAX_MAPPED, example: 'name' }) @Mapped() readonly name?: string;
  @ApiPropertyOptional({ type: String, maxLength: MAX_MAPPED, example: 'groups' }) @Mapped() readonly groups?: string;
}

export class GroupRoleBody {
  @ApiProperty({ maxLength: 255, example: 'platform-admins' }) @Line(255) readonly group!: string;
  @ApiProperty({ enum: GIVEN_ROLES, example: 'admin' }) @IsIn(GIVEN_ROLES) readonly role!: ManagedRole;
}

const NAME = { type: String, maxLength: 100, example: 'Okta' };
const MAPPING = {
  type: MappingBody,
  example: { email: 'email', groups: 'groups' },
  description: 'Names of claims or attributes. Those that are left out are found by their usual names.',
};
const DEFAULT_ROLE = {
  enum: GIVEN_ROLES,
  example: 'member',
  description: 'Role of people in none of the `group_roles`.',
};
const GROUP_ROLES = {
  type: GroupRoleBody,
  isArray: true,
  maxItems: MAX_GROUP_ROLES,
  description: 'Roles that groups give. Of several, the highest counts. None makes owners.',
};
const JIT = { type: Boolean, example: true, description: 'People join the organization at their first sign-in.' };

/** The types exclude each other, so that no example can be assembled from the fields. */
export const CREATE_CONNECTION_EXAMPLES = {
  oidc: { summary: 'OpenID Connect', value: { name: 'Okta', type: 'oidc', oidc: OIDC_EXAMPLE } },
  saml: { summary: 'SAML', value: { name: 'Okta', type: 'saml', saml: SAML_EXAMPLE } },
};
export const UPDATE_CONNECTION_EXAMPLES = {
  secret: { summary: 'Another secret', value: { oidc: { client_secret: OIDC_EXAMPLE.client_secret } } },
  roles: {
    summary: 'Roles by groups',
    value: { default_role: 'viewer', group_roles: [{ group: 'platform-admins', role: 'admin' }] },
  },
};

export class CreateSsoConnectionBody {
  @ApiProperty(NAME) @IsTitle() readonly name!: string;
  @ApiProperty({ enum: CONNECTION_TYPES, example: 'oidc' }) @IsIn(CONNECTION_TYPES) readonly type!: ConnectionType;

  @ApiPropertyOptional({
    type: OidcBody,
    example: OIDC_EXAMPLE,
    description: 'Required for `oidc`, and allowed only for it.',
  })
  @MayBeAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => OidcBody)
  readonly oidc?: OidcBody;

  @ApiPropertyOptional({
    type: SamlBody,
    example: SAML_EXAMPLE,
    description: 'Required for `saml`, and allowed only for it.',
  })
  @MayBeAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => SamlBody)
  readonly saml?: SamlBody;

  @ApiPropertyOptional(MAPPING)
  @MayBeAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => MappingBody)
  readonly mapping?: MappingBody;

  @ApiPropertyOptional({ ...DEFAULT_ROLE, default: 'member' })
  @MayBeAbsent()
  @IsIn(GIVEN_ROLES)
  readonly default_role: ManagedRole = 'member';

  @ApiPropertyOptional({ ...GROUP_ROLES, default: [] })
  @MayBeAbsent()
  @List(MAX_GROUP_ROLES)
  @ArrayUnique(({ group }: GroupRoleBody) => group)
  @ValidateNested({ each: true })
  @Type(() => GroupRoleBody)
  readonly group_roles: GroupRoleBody[] = [];

  @ApiPropertyOptional({ ...JIT, default: true })
  @MayBeAbsent()
  @IsBoolean()
  readonly jit: boolean = true;
}

export class UpdateSsoConnectionBody {
  @ApiPropertyOptional(NAME) @MayBeAbsent() @IsTitle() readonly name?: string;

  @ApiPropertyOptional({
    type: UpdateOidcBody,
    example: { client_secret: OIDC_EXAMPLE.client_secret },
    description: 'Fields that are left out stay as they are.',
  })
  @MayBeAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => UpdateOidcBody)
  readonly oidc?: UpdateOidcBody;

  @ApiPropertyOptional({
    type: SamlBody,
    example: SAML_EXAMPLE,
    description: 'Replaces the whole description of the provider.',
  })
  @MayBeAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => SamlBody)
  readonly saml?: SamlBody;

  @ApiPropertyOptional({ ...MAPPING, description: 'Replaces the whole mapping.' })
  @MayBeAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => MappingBody)
  readonly mapping?: MappingBody;

  @ApiPropertyOptional(DEFAULT_ROLE) @MayBeAbsent() @IsIn(GIVEN_ROLES) readonly default_role?: ManagedRole;

  @ApiPropertyOptional(GROUP_ROLES)
  @MayBeAbsent()
  @List(MAX_GROUP_ROLES)
  @ArrayUnique(({ group }: GroupRoleBody) => group)
  @ValidateNested({ each: true })
  @Type(() => GroupRoleBody)
  readonly group_roles?: GroupRoleBody[];

  @ApiPropertyOptional(JIT) @MayBeAbsent() @IsBoolean() readonly jit?: boolean;
}

export class BeginConnectionTestBody {
  @ApiProperty({
    maxLength: 1000,
    example: 'http://127.0.0.1:49152/tested',
    description: 'Where the browser returns to, with `code` or `error` in its query, as at POST /api/v1/auth/flows.',
  })
  @IsString()
  @MinLength(1)
  @MaxLength(1_000)
  readonly return_to!: string;

  @ApiProperty({
    example: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    description: 'SHA-256 of a random verifier of 43 to 128 characters, as base64url without padding.',
  })
  @IsString()
  @Matches(CHALLENGE_FORM, { message: '$property must be a SHA-256 as base64url' })
  readonly challenge!: string;
}

export class CompleteConnectionTestBody extends CompleteFlowBody {
  @ApiProperty({ description: 'Id that the beginning returned.', example: 'xsi_01jd3m8yeqf5rb0xkq5ym8s6tn' })
  @IsString()
  @MinLength(1)
  @MaxLength(100)
  readonly flow_id!: string;
}
