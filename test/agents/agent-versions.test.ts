import { AgentVersionsService } from '../../src/modules/agents/agent-versions.service.js';
import { AgentsService } from '../../src/modules/agents/agents.service.js';
import { as, expectStatus, Make, type Person, send, uniqueName } from '../support/make.js';
import { type Answer, useApp } from '../support/test-app.js';

const PATH = '/api/v1/agents';
const DEFINITION = { instructions: 'Answer briefly.', models: ['openai/gpt-mini'] };

describe('versions of agents', () => {
  const app = useApp({}, 'api');
  const make = new Make(app);
  let ada: Person;
  let key: string;
  let id: string;

  beforeAll(async () => {
    ada = await make.person({ plan: 'enterprise' });
    key = await make.key(ada);
  });
  beforeEach(async () => {
    id = expectStatus(201, await app.post(PATH, { name: uniqueName('agent'), ...DEFINITION }, as(key))).body.data.id;
  });

  const change = async (body: object): Promise<any> =>
    expectStatus(200, await send(app, ['PATCH', `${PATH}/${id}`], body, as(key))).body.data;
  const list = (query = ''): Promise<Answer> => app.fetch(`${PATH}/${id}/versions${query}`, as(key));
  const version = (number: number | string): Promise<Answer> => app.fetch(`${PATH}/${id}/versions/${number}`, as(key));
  const promote = (number: number | string): Promise<Answer> =>
    app.call('POST', `${PATH}/${id}/versions/${number}/promote`, as(key));
  const codeOf = (answer: Answer): [number, string] => [answer.status, answer.body.error?.code];

  it('are listed newest first in pages, with the live one marked', async () => {
    await change({ instructions: 'Two.' });
    await change({ instructions: 'Three.', promote: false });
    const first = (await list('?limit=2')).body;
    const second = (await list(`?limit=2&cursor=${first.meta.next_cursor}`)).body;
    const all = [...first.data, ...second.data];
    expect(all.map(({ number, live, instructions }: any) => [number, live, instructions])).toEqual([
      [3, false, 'Three.'],
      [2, true, 'Two.'],
      [1, false, DEFINITION.instructions],
    ]);
    expect([first.meta.has_more, second.meta.has_more]).toEqual([true, false]);
    expect((await list('?cursor=abc')).status).toBe(400);
  });

  it('never change, and begin with the live one', async () => {
    const before = (await version(1)).body.data;
    await change({ temperature: 0.5, promote: false });
    await change({ max_output_tokens: 100 });
    expect((await version(1)).body.data).toEqual({ ...before, live: false });
    expect((await version(3)).body.data).toMatchObject({ max_output_tokens: 100, live: true });
    expect((await version(3)).body.data).not.toHaveProperty('temperature');
  });

  it('keep the order of keys, so that two of them can be compared line by line', async () => {
    const schema = { type: 'object', properties: { zebra: { type: 'string' }, ant: { type: 'string' } } };
    await change({ output_schema: schema });
    const text = (await version(2)).text;
    expect(text.indexOf('zebra')).toBeLessThan(text.indexOf('"ant"'));
    const keys = (answer: Answer): string[] => Object.keys(answer.body.data);
    expect(keys(await version(2))).toEqual(keys(await version(1)));
  });

  it('become live by a promotion, older ones included', async () => {
    await change({ instructions: 'Two.' });
    expect((await promote(1)).body.data).toMatchObject({ id, live_version: 1 });
    expect((await version(1)).body.data.live).toBe(true);
    expect((await promote(1)).body.data).toMatchObject({ live_version: 1 });
    // The next version continues the numbers.
    expect(await change({ instructions: 'Four.' })).toMatchObject({ live_version: 3 });
  });

  it('answer 404 for a number that does not exist', async () => {
    for (const number of [2, 0, '01', 'x', '99999999999', '-1']) {
      expect(codeOf(await version(number))).toEqual([404, 'agent_version_not_found']);
      expect(codeOf(await promote(number))).toEqual([404, 'agent_version_not_found']);
    }
  });

  it('are numbered without gaps by concurrent changes', async () => {
    const changes = Array.from({ length: 8 }, (_, index) => change({ instructions: `Number ${index}.` }));
    await Promise.all(changes);
    const numbers = (await list('?limit=100')).body.data.map(({ number }: { number: number }) => number);
    expect(numbers).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  it('add and keep the scopes that tools need', async () => {
    await change({ scopes: ['projects:read'], tools: [{ name: 'remember' }] });
    expect((await version(2)).body.data).toMatchObject({ scopes: ['projects:read'], memory: { archive: true } });
    await change({ tools: [] });
    expect((await version(3)).body.data).toMatchObject({ scopes: ['projects:read'], tools: [] });
  });

  it('are given to other modules with amounts as numbers', async () => {
    await change({ budget: { cost: '0.25', active_seconds: 60 }, monthly_cost: '3', approval_expires_seconds: 120 });
    const facts = (await app.get(AgentsService).find(ada.organization.id, id))!;
    expect(facts).toMatchObject({ id, isActive: true, liveVersion: 2 });
    const live = await app.get(AgentVersionsService).live(facts);
    expect(live).toMatchObject({
      agentId: id,
      orgId: ada.organization.id,
      number: 2,
      budget: { costNano: 250_000_000n, activeMs: 60_000, steps: 50 },
      monthlyCostNano: 3_000_000_000n,
      approvalExpiresMs: 120_000,
    });
    expect(await app.get(AgentsService).find('org_00000000000000000000000000', id)).toBeUndefined();
    await app.call('DELETE', `${PATH}/${id}`, as(key));
    expect(await app.get(AgentsService).find(ada.organization.id, id)).toBeUndefined();
    expect(await app.get(AgentVersionsService).find(id, 2)).toEqual(live);
  });
});
