import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AnswerMeta, PageMeta } from '../../../platform/http/page.js';
import type { BegunSignIn } from '../../identities/external-sign-ins.service.js';
import type { ManagedRole } from '../../orgs/managed-memberships.js';
import type { TestedConnection } from '../connections/connection-tests.service.js';
import { acsUrlOf, redirectUriOf, spMetadataUrlOf } from '../connections/connection-urls.js';
import {
  CONNECTION_PAUSE_REASONS,
  CONNECTION_STATUSES,
  CONNECTION_TYPES,
  type ConnectionPauseReason,
  type ConnectionStatus,
  type ConnectionType,
  GIVEN_ROLES,
  METADATA_PROBLEMS,
  type MetadataProblem,
  type SamlConnection,
  type SsoConnection,
} from '../connections/sso-connection.js';
import { readCertificate } from '../saml/idp-certificate.js';
import { GroupRoleBody, MappingBody } from './sso-connections.dto.js';

const DATE = { type: String, format: 'date-time' };

export class OidcView {
  @ApiProperty({ example: 'https://acme.okta.com' }) issuer!: string;
  @ApiProperty({ example: '0oa1b2c3d4' }) client_id!: string;
  @ApiProperty({
    example: 'https://api.example.com/sign-in/sso/sso_01jd3m8yeqf5rb0xkq5ym8s6tn/callback',
    description: 'Register it at the provider.',
  })
  redirect_uri!: string;
}

export class IdpCertificateView {
  @ApiProperty({ example: 'AB:CD:…' }) sha256!: string;
  @ApiProperty({ example: 'CN=idp.acme.com' }) subject!: string;
  @ApiProperty({ format: 'date-time' }) expires_at!: string;
}

export class IdpView {
  @ApiProperty({ example: 'https://idp.acme.com' }) entity_id!: string;
  @ApiProperty({ example: 'https://idp.acme.com/sso' }) sso_url!: string;
  @ApiPropertyOptional({ type: String }) metadata_url?: string;
  @ApiPropertyOptional({ ...DATE, description: 'When the metadata were last asked for.' }) metadata_read_at?: string;
  @ApiPropertyOptional({
    enum: METADATA_PROBLEMS,
    description:
      'Why the metadata were not used then. `unreadable`: there were none. `other_provider`: they name another ' +
      'entity ID or sign-in URL, which only an administrator can accept.',
  })
  metadata_problem?: MetadataProblem;
  @ApiProperty({ type: [IdpCertificateView] }) certificates!: IdpCertificateView[];
}

export class SamlView {
  @ApiProperty({ description: 'Our entity ID.' }) entity_id!: string;
  @ApiProperty({ description: 'Where the provider sends responses, by POST.' }) acs_url!: string;
  @ApiProperty({ description: 'Our metadata, for the provider.' }) metadata_url!: string;
  @ApiProperty({ type: IdpView }) idp!: IdpView;
}

export class SsoConnectionView {
  @ApiProperty({ example: 'sso_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'Okta' }) name!: string;
  @ApiProperty({ enum: CONNECTION_TYPES }) type!: ConnectionType;
  @ApiProperty({
    enum: CONNECTION_STATUSES,
    description:
      '`draft`: to be tested. `tested`: an administrator has come in through it. `active`: people sign in through ' +
      'it. `paused`: it was active.',
  })
  status!: ConnectionStatus;
  @ApiPropertyOptional({ enum: CONNECTION_PAUSE_REASONS, description: '`plan`: the plan includes no SSO.' })
  paused_reason?: ConnectionPauseReason;
  @ApiPropertyOptional({ type: OidcView }) oidc?: OidcView;
  @ApiPropertyOptional({ type: SamlView }) saml?: SamlView;
  @ApiProperty({ type: MappingBody }) mapping!: MappingBody;
  @ApiProperty({ enum: GIVEN_ROLES }) default_role!: ManagedRole;
  @ApiProperty({ type: [GroupRoleBody] }) group_roles!: readonly GroupRoleBody[];
  @ApiProperty() jit!: boolean;
  @ApiPropertyOptional(DATE) tested_at?: string;
  @ApiPropertyOptional(DATE) last_used_at?: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ format: 'date-time' }) updated_at!: string;

  static of(connection: SsoConnection, publicUrl: string): SsoConnectionView {
    const { id, name, type, status, pausedReason, mapping, defaultRole, groupRoles, jit } = connection;
    return {
      id,
      name,
      type,
      status,
      ...(pausedReason === null ? {} : { paused_reason: pausedReason }),
      ...(connection.type === 'oidc'
        ? {
            oidc: {
              issuer: connection.oidc.issuer,
              client_id: connection.oidc.clientId,
              redirect_uri: redirectUriOf(publicUrl, id),
            },
          }
        : { saml: samlOf(connection, publicUrl) }),
      mapping: { ...mapping } as MappingBody,
      default_role: defaultRole,
      group_roles: groupRoles,
      jit,
      ...dated('tested_at', connection.testedAt),
      ...dated('last_used_at', connection.lastUsedAt),
      created_at: connection.createdAt.toISOString(),
      updated_at: connection.updatedAt.toISOString(),
    };
  }
}

function samlOf({ id, saml }: SamlConnection, publicUrl: string): SamlView {
  return {
    entity_id: spMetadataUrlOf(publicUrl, id),
    acs_url: acsUrlOf(publicUrl, id),
    metadata_url: spMetadataUrlOf(publicUrl, id),
    idp: {
      entity_id: saml.entityId,
      sso_url: saml.ssoUrl,
      ...(saml.metadataUrl === null ? {} : { metadata_url: saml.metadataUrl }),
      ...dated('metadata_read_at', saml.metadataReadAt),
      ...(saml.metadataProblem === null ? {} : { metadata_problem: saml.metadataProblem }),
      certificates: saml.certificates.map(readCertificate).map(({ sha256, subject, expiresAt }) => ({
        sha256,
        subject,
        expires_at: expiresAt.toISOString(),
      })),
    },
  };
}

const dated = <Name extends string>(name: Name, at: Date | null): Partial<Record<Name, string>> =>
  (at === null ? {} : { [name]: at.toISOString() }) as Partial<Record<Name, string>>;

export class TestedEmailView {
  @ApiProperty({ example: 'ada@acme.com' }) address!: string;
  @ApiProperty({ description: 'True when the provider says that it has verified the address.' }) verified!: boolean;
}

export class TestedIdentityView {
  @ApiProperty({ description: 'What identifies the person at the provider.' }) subject!: string;
  @ApiProperty({ example: 'Ada Lovelace' }) name!: string;
  @ApiPropertyOptional({ type: TestedEmailView }) email?: TestedEmailView;
  @ApiProperty({ type: [String] }) groups!: readonly string[];
}

export class TestedConnectionView extends SsoConnectionView {
  @ApiProperty({ type: TestedIdentityView, description: 'What the provider says of you.' })
  identity!: TestedIdentityView;

  static tested({ connection, identity }: TestedConnection, publicUrl: string): TestedConnectionView {
    const { subject, name, email, groups = [] } = identity;
    return Object.assign(SsoConnectionView.of(connection, publicUrl), {
      identity: { subject, name, ...(email === undefined ? {} : { email }), groups },
    });
  }
}

export class BegunTestView {
  @ApiProperty({ example: 'xsi_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'https://api.example.com/sign-in/xsi_01jd3m8yeqf5rb0xkq5ym8s6tn' }) authorize_url!: string;
  @ApiProperty({ format: 'date-time' }) expires_at!: string;

  static of({ id, authorizeUrl, expiresAt }: BegunSignIn): BegunTestView {
    return { id, authorize_url: authorizeUrl, expires_at: expiresAt.toISOString() };
  }
}

export class SsoConnectionAnswer {
  @ApiProperty({ type: SsoConnectionView }) data!: SsoConnectionView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class SsoConnectionPageAnswer {
  @ApiProperty({ type: [SsoConnectionView] }) data!: SsoConnectionView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}

export class BegunTestAnswer {
  @ApiProperty({ type: BegunTestView }) data!: BegunTestView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class TestedConnectionAnswer {
  @ApiProperty({ type: TestedConnectionView }) data!: TestedConnectionView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
