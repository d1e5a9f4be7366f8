import fc from 'fast-check';
import { changedGroup } from './group-attributes.js';
import { changesOfPatch, changesOfResource } from './scim-operations.js';
import { ScimRefusal } from './scim-refusal.js';
import { changedUser, newUser, type UserAttributes } from './user-attributes.js';

const ADA: UserAttributes = {
  userName: 'ada',
  externalId: null,
  displayName: null,
  givenName: 'Ada',
  familyName: null,
  email: 'ada@acme.com',
  active: true,
};

describe('the operations of a PATCH', () => {
  it.each<[string, object, Partial<UserAttributes>]>([
    ['an object without a path', { op: 'replace', value: { active: false } }, { active: false }],
    ['a text in place of false', { op: 'Replace', path: 'active', value: 'False' }, { active: false }],
    [
      'a name with its URN',
      { op: 'add', path: 'urn:ietf:params:scim:schemas:core:2.0:User:userName', value: 'a' },
      { userName: 'a' },
    ],
    ['a part of the name', { op: 'Add', path: 'name.familyName', value: 'Byron' }, { familyName: 'Byron' }],
    ['the name as an object', { op: 'replace', path: 'name', value: { familyName: 'Byron' } }, { familyName: 'Byron' }],
    ['the removal of a name', { op: 'Remove', path: 'NAME.givenname' }, { givenName: null }],
    [
      'paths as names of members',
      { op: 'add', value: { 'name.givenName': 'A', externalId: '7' } },
      { givenName: 'A', externalId: '7' },
    ],
    [
      'the address of work',
      { op: 'replace', path: 'emails[type eq "work"].value', value: 'b@c.de' },
      { email: 'b@c.de' },
    ],
    [
      'the primary address',
      { op: 'replace', path: 'emails[primary eq true]', value: { value: 'b@c.de' } },
      { email: 'b@c.de' },
    ],
    ['the address at home', { op: 'add', path: 'emails[type eq "home"].value', value: 'b@c.de' }, {}],
    ['the kind of an address', { op: 'replace', path: 'emails[type eq "work"].type', value: 'other' }, {}],
    ['the removal of another address', { op: 'remove', path: 'emails[value eq "b@c.de"]' }, {}],
    ['the removal of the address', { op: 'remove', path: 'emails[value eq "ADA@acme.com"]' }, { email: null }],
    [
      'several addresses',
      { op: 'replace', path: 'emails', value: [{ value: 'x@y.de' }, { value: 'b@c.de', primary: 'True' }] },
      { email: 'b@c.de' },
    ],
    ['an extension', { op: 'add', path: 'urn:other:User:costCenter', value: '7' }, {}],
    ['what is not kept', { op: 'replace', path: 'title', value: 'Countess' }, {}],
    ['an empty text', { op: 'replace', path: 'name.givenName', value: '' }, { givenName: null }],
    ['an unknown member', { op: 'replace', value: { hobby: 'chess', __proto__: { active: false } } }, {}],
  ])('apply %s', (_, operation, changed) => {
    expect(changedUser(ADA, changesOfPatch({ Operations: [operation] }))).toEqual({ ...ADA, ...changed });
  });

  it('are applied or refused, whatever is sent', () => {
    const value = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<unknown>;
    const path = fc.constantFrom(
      'active',
      'emails',
      'members',
      'name',
      'userName',
      'members[value eq "a"]',
      'emails[a',
      '',
    );
    const operation = fc.record({ op: fc.constantFrom('add', 'Replace', 'remove'), path, value });
    const body = fc.oneof(value, fc.record({ Operations: fc.oneof(value, fc.array(fc.oneof(operation, value))) }));
    const isRefusal = (work: () => unknown): void => {
      try {
        work();
      } catch (error) {
        expect(error).toBeInstanceOf(ScimRefusal);
      }
    };
    fc.assert(
      fc.property(body, (sent) => {
        isRefusal(() => changedUser(ADA, changesOfPatch(sent)));
        isRefusal(() => changedGroup({ displayName: 'x', externalId: null }, changesOfPatch(sent)));
        isRefusal(() => newUser(changesOfResource(sent)));
      }),
      { numRuns: 1_000 },
    );
  });
});
