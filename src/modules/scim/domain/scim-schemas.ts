import { Types } from 'scimmy';
import { GROUP_SCHEMA, type ScimView, USER_SCHEMA } from './scim-views.js';

const { Attribute, SchemaDefinition } = Types;

const SCHEMA_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema';
const TYPE_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';
const CONFIG_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';

/** The attributes that are kept, and no other of RFC 7643. They are made once, when the process starts. */
const SCHEMAS = [
  new SchemaDefinition('User', USER_SCHEMA, 'A person of the organization', [
    new Attribute('string', 'userName', { required: true, uniqueness: 'server', description: 'Name at the provider.' }),
    new Attribute('complex', 'name', { description: 'Parts of the name of the person.' }, [
      new Attribute('string', 'givenName', { description: 'First name.' }),
      new Attribute('string', 'familyName', { description: 'Last name.' }),
    ]),
    new Attribute('string', 'displayName', { description: 'Name to show.' }),
    new Attribute('complex', 'emails', { multiValued: true, description: 'One address, in a verified domain.' }, [
      new Attribute('string', 'value', { description: 'The address.' }),
      new Attribute('string', 'type', { canonicalValues: ['work'], description: 'Always work.' }),
      new Attribute('boolean', 'primary', { description: 'Always true.' }),
    ]),
    new Attribute('boolean', 'active', { description: 'Whether the person is a member of the organization.' }),
  ]),
  new SchemaDefinition('Group', GROUP_SCHEMA, 'A group of people, which may give them a role', [
    new Attribute('string', 'displayName', { required: true, description: 'Name of the group.' }),
    new Attribute('complex', 'members', { multiValued: true, description: 'Users of this connection.' }, [
      new Attribute('string', 'value', { description: 'Id of the user.' }),
      new Attribute('string', 'display', { mutable: false, description: 'userName of the user.' }),
      new Attribute('reference', '$ref', { mutable: false, referenceTypes: ['User'], description: 'URL of the user.' }),
    ]),
  ]),
].map((definition) => JSON.stringify(definition.describe()));

/** @param base the URL of the connection's SCIM. */
export const schemaViews = (base: string): ScimView[] =>
  SCHEMAS.map((text) => {
    const { id, name, description, attributes } = JSON.parse(text) as Record<string, unknown>;
    const meta = { resourceType: 'Schema', location: `${base}/Schemas/${String(id)}` };
    return { schemas: [SCHEMA_SCHEMA], id, name, description, attributes, meta };
  });

export const resourceTypeViews = (base: string): ScimView[] =>
  [
    { name: 'User', schema: USER_SCHEMA },
    { name: 'Group', schema: GROUP_SCHEMA },
  ].map(({ name, schema }) => ({
    schemas: [TYPE_SCHEMA],
    id: name,
    name,
    endpoint: `/${name}s`,
    schema,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  }));

/** @param docsUrl where the pages for people begin. */
export const serviceProviderConfigView = (base: string, docsUrl: string): ScimView => ({
  schemas: [CONFIG_SCHEMA],
  documentationUri: `${docsUrl}/scim`,
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: 100 },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'A SCIM token of the connection, in the header Authorization.',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
});
