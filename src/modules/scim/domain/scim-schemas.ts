import { GROUP_SCHEMA, type ScimView, USER_SCHEMA } from './scim-views.js';

const SCHEMA_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema';
const TYPE_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';
const CONFIG_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';

/** An attribute with the characteristics that most of them have (RFC 7643 §7). */
const attribute = (name: string, description: string, more: ScimView = {}): ScimView => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
});

const READ_ONLY = { mutability: 'readOnly' };

/** The attributes that are kept, and no other of RFC 7643. */
const SCHEMAS = [
  {
    id: USER_SCHEMA,
    name: 'User',
    description: 'A person of the organization.',
    attributes: [
      attribute('userName', 'Name at the provider.', { required: true, uniqueness: 'server' }),
      attribute('name', 'Parts of the name of the person.', {
        type: 'complex',
        subAttributes: [attribute('givenName', 'First name.'), attribute('familyName', 'Last name.')],
      }),
      attribute('displayName', 'Name to show.'),
      attribute('emails', 'One address, in a verified domain.', {
        type: 'complex',
        multiValued: true,
        subAttributes: [
          attribute('value', 'The address.'),
          attribute('type', 'Always work.', { canonicalValues: ['work'] }),
          attribute('primary', 'Always true.', { type: 'boolean' }),
        ],
      }),
      attribute('active', 'Whether the person is a member of the organization.', { type: 'boolean' }),
    ],
  },
  {
    id: GROUP_SCHEMA,
    name: 'Group',
    description: 'A group of people, which may give them a role.',
    attributes: [
      attribute('displayName', 'Name of the group.', { required: true, uniqueness: 'server' }),
      attribute('members', 'Users of this connection.', {
        type: 'complex',
        multiValued: true,
        subAttributes: [
          attribute('value', 'Id of the user.', { mutability: 'immutable', caseExact: true }),
          attribute('display', 'userName of the user.', READ_ONLY),
          attribute('$ref', 'URL of the user.', { type: 'reference', referenceTypes: ['User'], ...READ_ONLY }),
        ],
      }),
    ],
  },
] as const;

/** @param base the URL of the connection's SCIM. */
export const schemaViews = (base: string): ScimView[] =>
  SCHEMAS.map((schema) => ({
    schemas: [SCHEMA_SCHEMA],
    ...schema,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` },
  }));

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
