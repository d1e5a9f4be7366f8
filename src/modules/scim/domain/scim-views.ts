import type { ScimGroup, ScimMember, ScimUser } from './scim-resources.js';

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

export type ScimView = Readonly<Record<string, unknown>>;

/** @param base the URL of the connection's SCIM. */
export function userView(user: ScimUser, base: string): ScimView {
  const { id, userName, externalId, displayName, givenName, familyName, email, active } = user;
  const hasName = givenName !== null || familyName !== null;
  return {
    schemas: [USER_SCHEMA],
    id,
    ...(externalId === null ? {} : { externalId }),
    userName,
    ...(hasName ? { name: { ...present('givenName', givenName), ...present('familyName', familyName) } } : {}),
    ...present('displayName', displayName),
    ...(email === null ? {} : { emails: [{ value: email, type: 'work', primary: true }] }),
    active,
    meta: metaOf(user, 'User', base),
  };
}

/** @param members undefined when they are left out. */
export function groupView(group: ScimGroup, members: readonly ScimMember[] | undefined, base: string): ScimView {
  const { id, displayName, externalId } = group;
  return {
    schemas: [GROUP_SCHEMA],
    id,
    ...present('externalId', externalId),
    displayName,
    ...(members === undefined ? {} : { members: members.map((member) => memberView(member, base)) }),
    meta: metaOf(group, 'Group', base),
  };
}

const memberView = ({ id, userName }: ScimMember, base: string): ScimView => ({
  value: id,
  $ref: `${base}/Users/${id}`,
  display: userName,
  type: 'User',
});

export const listView = (resources: readonly object[], total: number, startIndex: number): ScimView => ({
  schemas: [LIST_SCHEMA],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});

export const errorView = (status: number, detail: string, scimType: string | undefined): ScimView => ({
  schemas: [ERROR_SCHEMA],
  status: String(status),
  ...(scimType === undefined ? {} : { scimType }),
  detail,
});

const metaOf = (
  { id, createdAt, updatedAt }: ScimUser | ScimGroup,
  resourceType: 'User' | 'Group',
  base: string,
): ScimView => ({
  resourceType,
  created: createdAt.toISOString(),
  lastModified: updatedAt.toISOString(),
  location: `${base}/${resourceType}s/${id}`,
});

const present = (name: string, value: string | null): ScimView => (value === null ? {} : { [name]: value });
