import { ORG_ROLES, type OrgRole, SCOPES_OF_ROLE } from '../../src/modules/auth/org-role.js';
import { type DeclaredRoute, RouteDirectory } from '../../src/modules/auth/route-directory.js';
import { KEY_KINDS, type KeyKind } from '../../src/modules/auth/principal.js';
import { takesOnlySessions } from '../../src/modules/auth/require-scope.js';
import { SCOPES } from '../../src/modules/auth/scopes.js';
import { as, Make, type Org, type Person, send } from '../support/make.js';
import { type Answer, useApp } from '../support/test-app.js';

/** A well-formed id of nothing. */
const ABSENT = 'abc_00000000000000000000000000';
const PUBLIC_WRITES_WITHOUT_BODY_ARE_INVALID = 400;

describe('every route, with two organizations, three kinds of key and four roles', () => {
  const app = useApp({}, 'api');
  const make = new Make(app);
  const people = {} as Record<OrgRole, Person>;
  const keys = {} as Record<OrgRole, Record<KeyKind, string>>;
  let org: Org;
  let foreign: Org;
  let routes: readonly DeclaredRoute[];

  beforeAll(async () => {
    const founder = await make.person();
    org = await make.org(founder, { plan: 'enterprise' });
    foreign = await make.org(await make.person(), { plan: 'enterprise' });
    for (const role of ORG_ROLES) {
      const person = await make.person({ plan: 'enterprise' });
      people[role] = person;
      // A viewer may mint no key for the organization; one that it minted before it was one goes on, with less.
      await make.member(org, person, 'owner');
      keys[role] = {
        personal: await make.key(person),
        select_orgs: await make.key(person, { kind: 'select_orgs', org_ids: [org.id] }),
        org_bound: await make.key(person, { kind: 'org_bound', org_id: org.id }),
      };
      await make.role(org, person, role);
    }
    routes = app
      .get(RouteDirectory)
      .list()
      // The answers to HEAD have no codes. Its rules are those of GET, which a test below compares.
      .filter(({ method, path }) => path.startsWith('/api/v1') && method !== 'HEAD');
  });

  const ask = (
    { method, path }: DeclaredRoute,
    token: string | undefined,
    { orgHeader, id = ABSENT }: { orgHeader?: string; id?: string } = {},
  ): Promise<Answer> => {
    const target = path.replace(/:\w+/g, id);
    const headers = { ...(orgHeader === undefined ? {} : { 'x-service-org': orgHeader }) };
    const options = token === undefined ? { headers } : as(token, { headers });
    return method === 'GET' || method === 'DELETE'
      ? app.call(method, target, options)
      : send(app, [method, target], {}, options);
  };
  const guarded = (): DeclaredRoute[] => routes.filter(({ rule }) => rule !== undefined);
  const nameOf = ({ method, path }: DeclaredRoute): string => `${method} ${path}`;
  const outcomeOf = (answer: Answer): string =>
    answer.status < 400 ? 'in' : `${answer.status} ${answer.body?.error?.code}`;
  /** Let in by the guards, whatever then becomes of an empty body of JSON and an id of nothing. */
  const isIn = (outcome: string): boolean =>
    outcome === 'in' || /^(400|409|415) |^404 (?!route_not_found)/.test(outcome);
  const takesKeys = ({ sessions }: DeclaredRoute): boolean => !takesOnlySessions(sessions);

  it('is listed', () => {
    expect(guarded().length).toBeGreaterThanOrEqual(25);
    expect(guarded().filter(({ rule }) => rule?.scope !== undefined).length).toBeGreaterThanOrEqual(15);
  });

  it('has the rules of GET for HEAD', () => {
    const all = app.get(RouteDirectory).list();
    const heads = all.filter(({ method }) => method === 'HEAD');
    expect(heads.length).toBeGreaterThan(0);
    for (const { path, rule } of heads)
      expect(all.find((each) => each.method === 'GET' && each.path === path)?.rule).toEqual(rule);
  });

  it('returns 401 without a credential, unless it is public', async () => {
    for (const route of guarded()) {
      expect([nameOf(route), outcomeOf(await ask(route, undefined))]).toEqual([
        nameOf(route),
        takesKeys(route) ? '401 missing_api_key' : '401 session_required',
      ]);
    }
    for (const route of routes.filter(
      ({ rule, method, surface }) => rule === undefined && surface === undefined && method !== 'GET',
    )) {
      // It has no body: anybody may ask for what a browser needs before a passkey is chosen.
      if (nameOf(route) === 'POST /api/v1/auth/passkey/options') continue;
      // It takes messages that are signed, and reads no others.
      if (nameOf(route) === 'POST /api/v1/secret-scanning') continue;
      expect([nameOf(route), (await ask(route, undefined)).status]).toEqual([
        nameOf(route),
        PUBLIC_WRITES_WITHOUT_BODY_ARE_INVALID,
      ]);
    }
  });

  it('accepts a session token only where declared, and a key except where a person is required', async () => {
    for (const route of guarded()) {
      if (route.sessions === undefined || route.sessions === 'never') {
        expect([nameOf(route), outcomeOf(await ask(route, people.owner.sessionToken))]).toEqual([
          nameOf(route),
          '401 session_token_not_allowed',
        ]);
      }
      if (!takesKeys(route))
        expect([nameOf(route), outcomeOf(await ask(route, keys.owner.personal))]).toEqual([
          nameOf(route),
          '401 session_required',
        ]);
    }
  });

  describe.each(KEY_KINDS)('with a key of kind %s', (kind) => {
    it.each(ORG_ROLES)('whose owner is %s: allows what the role allows, and nothing else', async (role) => {
      for (const route of guarded().filter(takesKeys)) {
        const outcome = outcomeOf(await ask(route, keys[role][kind], { orgHeader: org.id }));
        const { rule } = route;
        const allowed = rule?.scope === undefined || rule.in === 'resource' || SCOPES_OF_ROLE[role].has(rule.scope);
        const isPathOfOrg = route.path.includes(':org_id') && kind === 'org_bound';
        if (isPathOfOrg) expect([nameOf(route), outcome]).toEqual([nameOf(route), '403 key_org_mismatch']);
        else if (allowed) expect([nameOf(route), outcome, isIn(outcome)]).toEqual([nameOf(route), outcome, true]);
        else expect([nameOf(route), outcome]).toEqual([nameOf(route), '403 insufficient_scopes']);
      }
    });

    it('cannot reach another organization', async () => {
      for (const route of guarded().filter(takesKeys)) {
        const outcome = outcomeOf(await ask(route, keys.owner[kind], { orgHeader: foreign.id }));
        expect([nameOf(route), outcome]).toEqual([
          nameOf(route),
          kind === 'org_bound' ? '403 key_org_mismatch' : '403 org_access_denied',
        ]);
      }
    });

    it('returns 403 for every scope that the key lacks', async () => {
      for (const scope of ['ai:invoke', 'orgs:read'] as const) {
        const body = {
          scopes: [scope],
          ...(kind === 'org_bound'
            ? { kind, org_id: org.id }
            : kind === 'select_orgs'
              ? { kind, org_ids: [org.id] }
              : {}),
        };
        const narrow = await make.key(people.owner, body);
        for (const route of guarded()
          .filter(takesKeys)
          .filter(({ rule }) => rule?.scope !== undefined && rule.scope !== scope)) {
          const outcome = outcomeOf(await ask(route, narrow, { id: org.id }));
          expect([nameOf(route), outcome]).toEqual([nameOf(route), '403 insufficient_scopes']);
        }
      }
    });
  });

  it('returns the same answer for resources of another organization as for missing ones', async () => {
    const outsider = await make.person();
    const theirKeys = await app.post('/api/v1/keys', { name: 'theirs' }, as(outsider));
    const theirProject = await app.post('/api/v1/projects', { name: 'theirs' }, as(await make.key(outsider)));
    const theirRepository = await app.post('/api/v1/repositories', { name: 'theirs' }, as(await make.key(outsider)));
    const ids: readonly [string, string][] = [
      [':org_id', foreign.id],
      [':key_id', theirKeys.body.data.id as string],
      [':project_id', theirProject.body.data.id as string],
      [':repository_id', theirRepository.body.data.id as string],
    ];
    for (const [parameter, id] of ids) {
      const absent = id.slice(0, id.indexOf('_')) + ABSENT.slice(3);
      for (const route of guarded()
        .filter(({ path }) => path.includes(parameter))
        .filter(takesKeys)) {
        const [answer, other] = [
          await ask(route, keys.owner.personal, { id }),
          await ask(route, keys.owner.personal, { id: absent }),
        ];
        const masked = ({ text }: Answer, own: string): string => text.replaceAll(own, '…').replace(/req_\w+/, '…');
        expect([nameOf(route), answer.status, masked(answer, id)]).toEqual([
          nameOf(route),
          other.status,
          masked(other, absent),
        ]);
        expect([400, 404, 415]).toContain(answer.status);
      }
    }
  });

  it('only asks for scopes that exist', () => {
    for (const { rule } of guarded()) if (rule?.scope !== undefined) expect(SCOPES).toContain(rule.scope);
  });
});
