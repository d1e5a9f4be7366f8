import { samlIdentityOf } from './saml-identity.js';
import { SamlRefused } from './saml-refused.js';
import type { SamlAnswer } from './saml-response.js';

const FORMAT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:';
const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
const CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';

function answer(
  attributes: Readonly<Record<string, readonly string[]>> = {},
  changes: Partial<SamlAnswer> = {},
): SamlAnswer {
  return {
    inResponseTo: 'svc_flow_1',
    assertionId: '_a',
    usableUntil: new Date(0),
    nameId: 'G-4711',
    nameIdFormat: `${FORMAT}persistent`,
    attributes: new Map(Object.entries(attributes)),
    authnInstant: new Date(0),
    sessionNotOnOrAfter: undefined,
    ...changes,
  };
}

const refusal = (...[given, mapping]: [SamlAnswer, Parameters<typeof samlIdentityOf>[1]?]): string => {
  try {
    samlIdentityOf(given, mapping ?? {}, 'sso_1');
    return 'accepted';
  } catch (error) {
    return error instanceof SamlRefused ? error.reason : String(error);
  }
};

describe('samlIdentityOf', () => {
  it('has the name ID alone when the provider says no more', () => {
    expect(samlIdentityOf(answer(), {}, 'sso_1')).toEqual({
      issuer: 'sso_1',
      connectionId: 'sso_1',
      subject: 'G-4711',
      name: 'G-4711',
      username: 'G-4711',
      groups: [],
    });
  });

  it.each<[string, Readonly<Record<string, readonly string[]>>]>([
    ['Okta', { email: ['ada@acme.test'], displayName: ['Ada Lovelace'], groups: ['a', 'b'] }],
    ['Okta, by parts', { Email: ['ada@acme.test'], firstName: ['Ada'], lastName: ['Lovelace'], Groups: ['a', 'b'] }],
    [
      'Entra',
      {
        [`${CLAIMS}/emailaddress`]: ['ada@acme.test'],
        [`${CLAIMS}/name`]: ['ada@acme.test'],
        'http://schemas.microsoft.com/identity/claims/displayname': ['Ada Lovelace'],
        'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups': ['a', 'b'],
      },
    ],
    [
      'AD FS',
      {
        [`${CLAIMS}/emailaddress`]: ['ada@acme.test'],
        [`${CLAIMS}/givenname`]: ['Ada'],
        [`${CLAIMS}/surname`]: ['Lovelace'],
        memberOf: ['a', 'b'],
      },
    ],
    [
      'Shibboleth',
      {
        'urn:oid:0.9.2342.19200300.100.1.3': ['ada@acme.test'],
        'urn:oid:2.16.840.1.113730.3.1.241': ['Ada Lovelace'],
        'urn:oid:1.3.6.1.4.1.5923.1.5.1.1': ['a', 'b'],
      },
    ],
  ])('knows the attributes of %s', (_, attributes) => {
    expect(samlIdentityOf(answer(attributes), {}, 'sso_1')).toMatchObject({
      subject: 'G-4711',
      name: 'Ada Lovelace',
      username: 'ada',
      email: { address: 'ada@acme.test', verified: false },
      groups: ['a', 'b'],
    });
  });

  it('takes the attributes that an administrator has chosen, and no others in their place', () => {
    const attributes = {
      uid: ['7'],
      work: ['ada@acme.test'],
      cn: ['Ada'],
      roles: ['a'],
      email: ['eve@acme.test'],
      groups: ['b'],
    };
    const mapping = { subject: 'uid', email: 'work', name: 'cn', groups: 'roles' };
    expect(samlIdentityOf(answer(attributes), mapping, 'sso_1')).toMatchObject({
      subject: '7',
      email: { address: 'ada@acme.test' },
      name: 'Ada',
      groups: ['a'],
    });
    const others = answer(
      { uid: ['7'], email: ['eve@acme.test'], groups: ['b'] },
      { nameId: 'eve@acme.test', nameIdFormat: EMAIL_FORMAT },
    );
    const identity = samlIdentityOf(others, mapping, 'sso_1');
    expect(identity).not.toHaveProperty('email');
    expect(identity.groups).toEqual([]);
  });

  it('takes the name ID for the address when it is one', () => {
    const byEmail = { nameId: 'ada@acme.test', nameIdFormat: EMAIL_FORMAT };
    expect(samlIdentityOf(answer({}, byEmail), {}, 'sso_1')).toMatchObject({
      subject: 'ada@acme.test',
      email: { address: 'ada@acme.test', verified: false },
      name: 'ada@acme.test',
      username: 'ada',
    });
    expect(
      samlIdentityOf(answer({}, { ...byEmail, nameIdFormat: `${FORMAT}persistent` }), {}, 'sso_1'),
    ).not.toHaveProperty('email');
  });

  it('leaves out what is no address', () => {
    for (const email of ['ada', 'ada@acme.test, eve@acme.test', 'ada@acme.test\n', `${'a'.repeat(250)}@acme.test`])
      expect(samlIdentityOf(answer({ email: [email] }), {}, 'sso_1')).not.toHaveProperty('email');
  });

  it('refuses names that change, unless an attribute is chosen in their place', () => {
    const transient = answer({ uid: ['7'] }, { nameIdFormat: `${FORMAT}transient` });
    expect(refusal(transient)).toBe('transient_subject');
    expect(refusal(transient, { subject: 'uid' })).toBe('accepted');
    expect(refusal(answer({}, { nameIdFormat: `${FORMAT}kerberos` }))).toBe('subject_format_not_supported');
    expect(refusal(answer({}, { nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified' }))).toBe(
      'accepted',
    );
  });

  it.each(['', ' ', 'a\u0000b', 'ada\u200b', 'a\u2028', 'a'.repeat(256)])('refuses %j as a subject', (nameId) => {
    expect(refusal(answer({}, { nameId }))).toBe('no_subject');
  });

  it('refuses a chosen subject that is missing or has two values', () => {
    expect(refusal(answer(), { subject: 'uid' })).toBe('no_subject');
    expect(refusal(answer({ uid: ['1', '2'] }), { subject: 'uid' })).toBe('no_subject');
  });

  it('cleans names as people see them', () => {
    const attributes = { displayName: [`\u202eAda\n Love\u0000lace${'e'.repeat(400)}`] };
    const { name } = samlIdentityOf(answer(attributes), {}, 'sso_1');
    expect(name).toMatch(/^Ada Lovelace+$/);
    expect(name).toHaveLength(254);
  });

  it('has at most 500 groups, and none that was cut or cleaned', () => {
    const groups = ['a', 'a', 'own\u200bers', 'x'.repeat(256), '', ...Array.from({ length: 600 }, (_, at) => `g${at}`)];
    const identity = samlIdentityOf(answer({ groups }), {}, 'sso_1');
    expect(identity.groups).toHaveLength(500);
    expect(identity.groups.slice(0, 3)).toEqual(['a', 'g0', 'g1']);
  });
});
