import { as, expectStatus, Make, type Person } from '../support/make.js';
import { type Answer, type CallOptions, useApp } from '../support/test-app.js';

const TOKEN = 'ops-token-of-the-tests';
const AS_OPERATOR: CallOptions = { headers: { authorization: `Bearer ${TOKEN}` } };
const PATH = '/ops/organizations';
const ABSENT = 'org_00000000000000000000000000';

const app = useApp({ OPS_TOKEN: TOKEN });
const make = new Make(app);
let ada: Person;
let acme: { id: string; slug: string };

const outcomeOf = (answer: Answer): string => `${answer.status} ${answer.body?.error?.code ?? ''}`.trim();
const list = (query: string): Promise<Answer> => app.fetch(`${PATH}?${query}`, AS_OPERATOR);
const found = async (search: string): Promise<string[]> => {
  const { body } = expectStatus(200, await list(`limit=100&search=${encodeURIComponent(search)}`));
  return body.organizations.map(({ id }: { id: string }) => id) as string[];
};

beforeAll(async () => {
  ada = await make.person();
  acme = await make.org(ada, { name: 'Zeppelin Works', plan: 'builder' });
  await make.member(acme, await make.person(), 'viewer');
});

describe('the organizations that operators see', () => {
  it('are found by name, slug, id and the address of an owner, and by no pattern', async () => {
    expect(await found('zeppELIN')).toEqual([acme.id]);
    expect(await found(acme.slug.slice(1))).toEqual([acme.id]);
    expect(await found(acme.id)).toEqual([acme.id]);
    // The newest comes first.
    expect(await found(ada.user.email.toUpperCase())).toEqual([acme.id, ada.organization.id]);
    for (const nothing of ['%', '_eppelin', 'nobody@example.org', ada.user.email.slice(0, -1)])
      expect(await found(nothing)).toEqual([]);
  });

  it('come in pages', async () => {
    const first = expectStatus(200, await list('limit=1')).body;
    const second = expectStatus(200, await list(`limit=1&cursor=${first.nextCursor}`)).body;
    expect(second.organizations[0].id < first.organizations[0].id).toBe(true);
    for (const query of ['limit=0', 'cursor=x', 'search=', `search=${'x'.repeat(101)}`, 'search=a%00b'])
      expect(outcomeOf(await list(query))).toBe('400 invalid_request');
  });

  it('are shown with their owners, limits, price and upcoming invoice', async () => {
    expectStatus(201, await app.post('/api/v1/projects', { name: 'Shop' }, await inAcme()));
    const { body } = expectStatus(200, await app.fetch(`${PATH}/${acme.id}`, AS_OPERATOR));
    expect(body).toMatchObject({
      id: acme.id,
      slug: acme.slug,
      name: 'Zeppelin Works',
      plan: 'builder',
      personal: false,
      owners: [ada.user.username],
      members: 2,
      priceUsdPerMonth: '0',
      upcomingUsd: '0.00',
      invoices: [],
    });
    expect(body.limits).toContainEqual({ limit: 'projects', allowed: 25, used: 1 });
    await make.plan(acme.id, 'pro');
    const { limits } = expectStatus(200, await app.fetch(`${PATH}/${acme.id}`, AS_OPERATOR)).body;
    expect(limits).toContainEqual({ limit: 'projects', used: 1 });
  });

  it('are not found where they do not exist or are deleted', async () => {
    expect(outcomeOf(await app.fetch(`${PATH}/${ABSENT}`, AS_OPERATOR))).toBe('404 organization_not_found');
    expect(outcomeOf(await app.fetch(`${PATH}/${acme.slug}`, AS_OPERATOR))).toBe('400 invalid_request');
    const gone = await make.org(ada, { name: 'Gone Again' });
    expectStatus(204, await app.call('DELETE', `/api/v1/orgs/${gone.id}`, as(ada)));
    expect(outcomeOf(await app.fetch(`${PATH}/${gone.id}`, AS_OPERATOR))).toBe('404 organization_not_found');
    expect(await found('Gone Again')).toEqual([]);
  });

  it('are shown to operators alone, and not to their own owners', async () => {
    const key = await make.key(ada, { preset: 'full' });
    for (const path of [PATH, `${PATH}/${acme.id}`])
      for (const options of [{}, as(ada), as(key)])
        expect(outcomeOf(await app.fetch(path, options))).toBe('401 invalid_token');
  });
});

async function inAcme(): Promise<CallOptions> {
  return as(await make.key(ada), { headers: { 'x-service-org': acme.id } });
}
