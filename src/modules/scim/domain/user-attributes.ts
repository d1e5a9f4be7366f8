import { isEmail } from 'class-validator';
import { isObject, memberOf, type ScimChange } from './scim-operations.js';
import type { ScimPath } from './scim-path.js';
import { badPath, badValue } from './scim-refusal.js';
import { booleanOf, requiredText, textOrNull } from './scim-values.js';

const MAX_ADDRESS = 254;

/** What is kept of a user of the provider. */
export interface UserAttributes {
  readonly userName: string;
  readonly externalId: string | null;
  readonly displayName: string | null;
  readonly givenName: string | null;
  readonly familyName: string | null;
  /** The one address of `emails` that is kept. */
  readonly email: string | null;
  readonly active: boolean;
}

type Draft = { -readonly [Name in keyof UserAttributes]: UserAttributes[Name] };

/** Attributes of RFC 7643 that providers send and nothing is kept of. */
const IGNORED = new Set([
  ...['id', 'schemas', 'meta', 'groups', 'password', 'nickname', 'profileurl', 'title', 'usertype', 'locale'],
  ...['preferredlanguage', 'timezone', 'phonenumbers', 'ims', 'photos', 'addresses', 'entitlements', 'roles'],
  ...['x509certificates', 'manager', 'department', 'organization', 'division', 'costcenter', 'employeenumber'],
]);

const EMPTY: UserAttributes = {
  userName: '',
  externalId: null,
  displayName: null,
  givenName: null,
  familyName: null,
  email: null,
  active: true,
};

/** Returns what a POST creates. @throws {ScimRefusal} */
export const newUser = (changes: readonly ScimChange[]): UserAttributes => changedUser(EMPTY, changes);

/** Returns what a PUT leaves. A user that is not said to be active, or not, stays so. @throws {ScimRefusal} */
export const replacedUser = ({ active }: UserAttributes, changes: readonly ScimChange[]): UserAttributes =>
  changedUser({ ...EMPTY, active }, changes);

/** Applies changes one after the other. @throws {ScimRefusal} */
export function changedUser(before: UserAttributes, changes: readonly ScimChange[]): UserAttributes {
  const draft: Draft = { ...before };
  for (const change of changes) apply(draft, change);
  if (draft.userName === '') throw badValue('userName is required.');
  return draft;
}

/**
 * The address that says whose account it is: that of `emails`, else the user name if it is one.
 *
 * @throws {ScimRefusal} `invalidValue`
 */
export function addressOf({ email, userName }: Pick<UserAttributes, 'email' | 'userName'>): string {
  if (email !== null) return email;
  if (isAddress(userName)) return userName;
  throw badValue('A user must have an email address: send one in emails, or as userName.');
}

function apply(draft: Draft, { op, path, value: sent, isNamed }: ScimChange): void {
  if (path === undefined) return;
  const value = op === 'remove' ? null : sent;
  switch (path.attribute) {
    case 'username':
      draft.userName = requiredText(value, 'userName');
      return;
    case 'externalid':
      draft.externalId = textOrNull(value, 'externalId');
      return;
    case 'displayname':
      draft.displayName = textOrNull(value, 'displayName');
      return;
    case 'active':
      draft.active = booleanOf(value, 'active');
      return;
    case 'name':
      applyName(draft, path, value);
      return;
    case 'emails':
      applyEmails(draft, path, value);
      return;
    default:
      if (isNamed && !IGNORED.has(path.attribute)) throw badPath(`Users have no attribute ${path.attribute}.`);
  }
}

function applyName(draft: Draft, { sub }: ScimPath, value: unknown): void {
  if (sub === 'givenname') draft.givenName = textOrNull(value, 'name.givenName');
  else if (sub === 'familyname') draft.familyName = textOrNull(value, 'name.familyName');
  else if (sub === undefined && value === null) draft.givenName = draft.familyName = null;
  else if (sub === undefined) {
    if (!isObject(value)) throw badValue('name must be a JSON object.');
    for (const [key, each] of Object.entries(value))
      applyName(draft, { attribute: 'name', sub: key.toLowerCase() }, each);
  }
}

/** Other addresses than that of work are not kept. */
function applyEmails(draft: Draft, { filter = [], sub }: ScimPath, value: unknown): void {
  const isKept = filter.every((term) => {
    if (term.attribute === 'type') return String(term.value).toLowerCase() === 'work';
    if (term.attribute === 'primary') return String(term.value).toLowerCase() === 'true';
    return term.attribute === 'value' && draft.email?.toLowerCase() === String(term.value).toLowerCase();
  });
  if (!isKept || (sub !== undefined && sub !== 'value')) return;
  draft.email = addressIn(value);
}

/** The primary address, else the first one. */
function addressIn(value: unknown): string | null {
  if (!Array.isArray(value)) return addressFrom(value);
  const list: unknown[] = value;
  const primary = list.find((each) => isObject(each) && isTrue(memberOf(each, 'primary')));
  return addressFrom(primary ?? list[0]);
}

const isTrue = (value: unknown): boolean => value === true || String(value).toLowerCase() === 'true';

function addressFrom(value: unknown): string | null {
  const address = textOrNull(isObject(value) ? memberOf(value, 'value') : value, 'emails.value', MAX_ADDRESS);
  if (address !== null && !isAddress(address)) throw badValue('emails.value must be an email address.');
  return address;
}

const isAddress = (text: string): boolean =>
  text.length <= MAX_ADDRESS && isEmail(text, { allow_utf8_local_part: false });
