import type { ManagedRole } from '../../orgs/managed-memberships.js';
import type {
  ConnectionPauseReason,
  ConnectionSetup,
  ConnectionStatus,
  ConnectionType,
  GroupRole,
  MetadataProblem,
  SsoConnection,
} from '../connections/sso-connection.js';
import type { AttributeMapping } from '../saml/saml-identity.js';

/** A row of `sso_connections`, whose constraints say which columns each type has. */
export interface ConnectionRow {
  readonly id: string;
  readonly org_id: string;
  readonly name: string;
  readonly type: ConnectionType;
  readonly status: ConnectionStatus;
  readonly paused_reason: ConnectionPauseReason | null;
  readonly issuer: string | null;
  readonly client_id: string | null;
  readonly client_secret: Buffer | null;
  readonly idp_entity_id: string | null;
  readonly idp_sso_url: string | null;
  readonly idp_metadata_url: string | null;
  readonly idp_certificates: string[];
  readonly certificates_end: Date | null;
  readonly metadata_read_at: Date | null;
  readonly metadata_problem: MetadataProblem | null;
  readonly sp_key: Buffer | null;
  readonly sp_certificate: string | null;
  readonly mapping: AttributeMapping;
  readonly default_role: ManagedRole;
  readonly group_roles: GroupRole[];
  readonly jit: boolean;
  readonly tested_at: Date | null;
  readonly activated_at: Date | null;
  readonly last_used_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export const connectionOf = (row: ConnectionRow): SsoConnection => ({
  id: row.id,
  orgId: row.org_id,
  name: row.name,
  status: row.status,
  pausedReason: row.paused_reason,
  ...setupOf(row),
  mapping: row.mapping,
  defaultRole: row.default_role,
  groupRoles: row.group_roles,
  jit: row.jit,
  testedAt: row.tested_at,
  activatedAt: row.activated_at,
  lastUsedAt: row.last_used_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

function setupOf(row: ConnectionRow): ConnectionSetup {
  if (row.type === 'oidc')
    return { type: 'oidc', oidc: { issuer: row.issuer!, clientId: row.client_id!, clientSecret: row.client_secret! } };
  return {
    type: 'saml',
    saml: {
      entityId: row.idp_entity_id!,
      ssoUrl: row.idp_sso_url!,
      metadataUrl: row.idp_metadata_url,
      certificates: row.idp_certificates,
      certificatesEnd: row.certificates_end!,
      metadataReadAt: row.metadata_read_at,
      metadataProblem: row.metadata_problem,
      spKey: row.sp_key!,
      spCertificate: row.sp_certificate!,
    },
  };
}

/** The values of all columns, in the order of {@link ConnectionRow}. */
export function valuesOf(connection: SsoConnection): unknown[] {
  const { id, orgId, name, type, status, pausedReason, createdAt, updatedAt } = connection;
  const oidc = connection.type === 'oidc' ? connection.oidc : undefined;
  const saml = connection.type === 'saml' ? connection.saml : undefined;
  return [
    ...[id, orgId, name, type, status, pausedReason],
    ...[oidc?.issuer ?? null, oidc?.clientId ?? null, oidc?.clientSecret ?? null],
    ...[saml?.entityId ?? null, saml?.ssoUrl ?? null, saml?.metadataUrl ?? null, saml?.certificates ?? []],
    ...[saml?.certificatesEnd ?? null, saml?.metadataReadAt ?? null, saml?.metadataProblem ?? null],
    ...[saml?.spKey ?? null, saml?.spCertificate ?? null],
    ...[JSON.stringify(connection.mapping), connection.defaultRole, JSON.stringify(connection.groupRoles)],
    ...[connection.jit, connection.testedAt, connection.activatedAt, connection.lastUsedAt, createdAt, updatedAt],
  ];
}
