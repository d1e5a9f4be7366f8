import { activated, changed, drafted, namesOthers, paused, type SsoConnection, tested } from './sso-connection.js';

const AT = new Date('2031-05-06T07:08:09.000Z');
const LATER = new Date('2031-05-07T07:08:09.000Z');
const FACTS = {
  id: 'sso_1',
  orgId: 'org_1',
  name: 'Okta',
  mapping: {},
  defaultRole: 'member',
  groupRoles: [],
  jit: true,
} as const;
const IDP = {
  entityId: 'https://idp.test',
  ssoUrl: 'https://idp.test/sso',
  certificates: ['one'],
  certificatesEnd: LATER,
  metadataUrl: null,
  metadataReadAt: null,
  metadataProblem: null,
};

const oidc = drafted(
  { ...FACTS, type: 'oidc', oidc: { issuer: 'https://idp.test', clientId: 'c', clientSecret: Buffer.from('s') } },
  AT,
);
const saml = drafted({ ...FACTS, type: 'saml', saml: { ...IDP, spKey: Buffer.from('k'), spCertificate: 'own' } }, AT);
const active = (connection: SsoConnection): SsoConnection => activated(tested(connection, AT), AT);

describe('a connection', () => {
  it('begins as a draft, and becomes active only after a test', () => {
    expect(oidc).toMatchObject({ status: 'draft', testedAt: null, activatedAt: null, pausedReason: null });
    expect(() => activated(oidc, AT)).toThrow(expect.objectContaining({ code: 'connection_not_tested' }));
    expect(tested(oidc, LATER)).toMatchObject({ status: 'tested', testedAt: LATER });
    expect(active(oidc)).toMatchObject({ status: 'active', activatedAt: AT });
  });

  it('stays active when it is tested or activated again', () => {
    expect(tested(active(oidc), LATER)).toMatchObject({ status: 'active', testedAt: LATER });
    expect(activated(active(oidc), LATER)).toMatchObject({ activatedAt: AT });
  });

  it('is paused only while it is active, and activated again without another test', () => {
    for (const connection of [oidc, tested(oidc, AT)]) expect(paused(connection, 'plan', LATER)).toBe(connection);
    const resting = paused(active(oidc), 'plan', LATER);
    expect(resting).toMatchObject({ status: 'paused', pausedReason: 'plan' });
    expect(paused(resting, 'by_member', LATER)).toBe(resting);
    expect(activated(resting, LATER)).toMatchObject({ status: 'active', pausedReason: null, activatedAt: LATER });
  });
});

describe('a change of a connection', () => {
  it.each([
    ['the name', { name: 'Other' }, false, false],
    ['roles', { defaultRole: 'viewer', groupRoles: [{ group: 'g', role: 'admin' }], jit: false }, false, false],
    ['the claim of groups', { mapping: { groups: 'roles', name: 'n' } }, false, false],
    ['the same issuer', { oidc: { issuer: 'https://idp.test' } }, false, false],
    ['the secret', { oidc: { clientSecret: Buffer.from('other') } }, true, false],
    ['the claim of the address', { mapping: { email: 'upn' } }, true, false],
    ['the claim of the subject', { mapping: { subject: 'oid' } }, true, true],
    ['the client', { oidc: { clientId: 'other' } }, true, true],
    ['the issuer', { oidc: { issuer: 'https://other.test' } }, true, true],
  ] as const)('of OpenID Connect: %s', (_, change, needsTest, areOthers) => {
    for (const before of [active(oidc), paused(active(oidc), 'plan', AT)]) {
      const after = changed(before, change, LATER);
      expect(after.status).toBe(needsTest ? 'draft' : before.status);
      expect(after.testedAt).toEqual(needsTest ? null : AT);
      expect(after.pausedReason).toBe(needsTest ? null : before.pausedReason);
      expect(namesOthers(before, after)).toBe(areOthers);
      expect(after.updatedAt).toBe(LATER);
    }
  });

  it.each([
    ['a certificate more', { certificates: ['one', 'two'] }, false, false],
    ['other certificates', { certificates: ['two'] }, true, false],
    ['the sign-in URL', { ssoUrl: 'https://other.test' }, true, false],
    ['the entity ID', { entityId: 'https://other.test' }, true, true],
    ['the metadata URL', { metadataUrl: 'https://idp.test/metadata' }, false, false],
  ])('of SAML: %s', (_, change, needsTest, areOthers) => {
    const after = changed(active(saml), { saml: { ...IDP, ...change } }, LATER);
    expect(after.status).toBe(needsTest ? 'draft' : 'active');
    expect(namesOthers(active(saml), after)).toBe(areOthers);
    expect(after).toMatchObject({ saml: { ...change, spCertificate: 'own' } });
  });
});
