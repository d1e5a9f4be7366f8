import type { AttributeMapping } from '../saml/saml-identity.js';
import { ConnectionFieldRefused } from '../sso.errors.js';
import type { ProviderChange, ProviderInput } from '../connections/connection-setups.js';
import type { CreateConnectionInput, UpdateConnectionInput } from '../connections/connections.service.js';
import type { SamlInput } from '../connections/provider-reader.js';
import type {
  CreateSsoConnectionBody,
  GroupRoleBody,
  MappingBody,
  SamlBody,
  UpdateOidcBody,
  UpdateSsoConnectionBody,
} from './sso-connections.dto.js';

/** @throws {ConnectionFieldRefused} `invalid_request`: fields that exclude or need each other. */
export function createInputOf(body: CreateSsoConnectionBody): CreateConnectionInput {
  const { name, mapping = {}, default_role: defaultRole, group_roles: groupRoles, jit } = body;
  const provider = providerOf(body);
  return { name, mapping: mappingOf(mapping), defaultRole, groupRoles: groupRoles.map(groupRoleOf), jit, provider };
}

/** @throws {ConnectionFieldRefused} `invalid_request` */
export function updateInputOf(body: UpdateSsoConnectionBody): UpdateConnectionInput {
  const { name, mapping, default_role: defaultRole, group_roles: groupRoles, jit, oidc, saml } = body;
  if (oidc !== undefined && saml !== undefined)
    throw refusal('oidc', 'excludes', 'A connection has either oidc or saml.');
  const provider: ProviderChange = {
    ...(oidc === undefined ? {} : { oidc: oidcChangeOf(oidc) }),
    ...(saml === undefined ? {} : { saml: samlOf(saml) }),
  };
  return {
    ...(name === undefined ? {} : { name }),
    ...(mapping === undefined ? {} : { mapping: mappingOf(mapping) }),
    ...(defaultRole === undefined ? {} : { defaultRole }),
    ...(groupRoles === undefined ? {} : { groupRoles: groupRoles.map(groupRoleOf) }),
    ...(jit === undefined ? {} : { jit }),
    provider,
  };
}

function providerOf({ type, oidc, saml }: CreateSsoConnectionBody): ProviderInput {
  const [own, other] = type === 'oidc' ? [oidc, saml] : [saml, oidc];
  if (own === undefined || other !== undefined)
    throw refusal(type, 'is_needed', `${type} is required for the type ${type}, and the other one is not allowed.`);
  if (type === 'saml') return { type, saml: samlOf(saml!) };
  const { issuer, client_id: clientId, client_secret: clientSecret } = oidc!;
  return { type, oidc: { issuer, clientId, clientSecret } };
}

const oidcChangeOf = ({ issuer, client_id, client_secret }: UpdateOidcBody): NonNullable<ProviderChange['oidc']> => ({
  ...(issuer === undefined ? {} : { issuer }),
  ...(client_id === undefined ? {} : { clientId: client_id }),
  ...(client_secret === undefined ? {} : { clientSecret: client_secret }),
});

function samlOf(body: SamlBody): SamlInput {
  const { metadata_xml: metadataXml, metadata_url: metadataUrl, entity_id: entityId } = body;
  const { sso_url: ssoUrl, certificates } = body;
  const described = [entityId, ssoUrl, certificates].filter((value) => value !== undefined).length;
  const forms = [metadataXml, metadataUrl].filter((value) => value !== undefined).length;
  if (forms + (described > 0 ? 1 : 0) === 1) {
    if (metadataXml !== undefined) return { metadataXml };
    if (metadataUrl !== undefined) return { metadataUrl };
    if (entityId !== undefined && ssoUrl !== undefined && certificates !== undefined)
      return { entityId, ssoUrl, certificates };
  }
  const message = 'saml requires one of metadata_xml, metadata_url, or entity_id with sso_url and certificates.';
  throw refusal('saml', 'is_one_form', message);
}

const mappingOf = ({ subject, email, name, groups }: MappingBody): AttributeMapping => ({
  ...(subject === undefined ? {} : { subject }),
  ...(email === undefined ? {} : { email }),
  ...(name === undefined ? {} : { name }),
  ...(groups === undefined ? {} : { groups }),
});

const groupRoleOf = ({ group, role }: GroupRoleBody): GroupRoleBody => ({ group, role });

const refusal = (path: string, code: string, message: string): Error =>
  new ConnectionFieldRefused({ path, code, message });
