import { AgentSecretsService } from '../../src/modules/agents/agent-secrets.service.js';
import { as, expectStatus, Make, send, uniqueName } from '../support/make.js';
import { type Answer, useApp } from '../support/test-app.js';

const PATH = '/api/v1/agents';
const OLD_KEY = 'o'.repeat(40);
const VALUE = 'a-token-of-the-shop';

describe('secrets of agents', () => {
  const environment: NodeJS.ProcessEnv = { SECRETS_KEY: OLD_KEY };
  const app = useApp(environment);
  const make = new Make(app);
  let key: string;
  let id: string;

  beforeAll(async () => {
    key = await make.key(await make.person({ plan: 'pro' }));
  });
  beforeEach(async () => {
    const body = { name: uniqueName('agent'), instructions: 'x', models: ['m'] };
    id = expectStatus(201, await app.post(PATH, body, as(key))).body.data.id;
  });

  const set = (name: string, body: object): Promise<Answer> =>
    send(app, ['PUT', `${PATH}/${id}/secrets/${name}`], body, as(key));
  const list = async (): Promise<any[]> =>
    expectStatus(200, await app.fetch(`${PATH}/${id}/secrets`, as(key))).body.data as any[];
  const remove = (name: string): Promise<Answer> => app.call('DELETE', `${PATH}/${id}/secrets/${name}`, as(key));

  it('are set, replaced, listed without values, and deleted', async () => {
    const answer = expectStatus(200, await set('SHOP_TOKEN', { value: VALUE }));
    expect(answer.body.data).toEqual({
      name: 'SHOP_TOKEN',
      created_at: expect.any(String),
      updated_at: answer.body.data.created_at,
    });
    const replaced = expectStatus(200, await set('SHOP_TOKEN', { value: 'another' })).body.data;
    expect(replaced.created_at).toBe(answer.body.data.created_at);
    await set('A_FIRST', { value: 'x' });
    expect((await list()).map(({ name }) => name as string)).toEqual(['A_FIRST', 'SHOP_TOKEN']);
    expect(JSON.stringify(await list())).not.toContain('another');
    expect([(await remove('SHOP_TOKEN')).status, (await remove('SHOP_TOKEN')).status]).toEqual([204, 204]);
    expect(await list()).toHaveLength(1);
  });

  it('are encrypted in the database, and given to tools alone', async () => {
    await set('SHOP_TOKEN', { value: VALUE });
    const [row] = await make.sql('SELECT value FROM agent_secrets WHERE agent_id = $1', [id]);
    expect((row!['value'] as Buffer).toString('latin1')).not.toContain(VALUE);
    const secrets = app.get(AgentSecretsService);
    expect(await secrets.valueOf(id, 'SHOP_TOKEN')).toBe(VALUE);
    expect(await secrets.valueOf(id, 'OTHER')).toBeUndefined();
    expect(await secrets.valuesOf(id)).toEqual([VALUE]);
  });

  it.each([
    ['lower', { value: VALUE }],
    ['1ST', { value: VALUE }],
    ['A'.repeat(65), { value: VALUE }],
    ['TOKEN', {}],
    ['TOKEN', { value: '' }],
    ['TOKEN', { value: 'two\nlines' }],
    ['TOKEN', { value: 'x'.repeat(8_193) }],
  ])('return 400 for a name or a value that cannot be used, case %#', async (name, body) => {
    const answer = await set(name, body);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request']);
  });

  it('return 400 beyond fifty, while those that exist can be replaced', async () => {
    for (let index = 0; index < 50; index++) expectStatus(200, await set(`S${index}`, { value: 'x' }));
    expect((await set('ONE_MORE', { value: 'x' })).body.error.details[0].code).toBe('max_secrets');
    expect((await set('S7', { value: 'y' })).status).toBe(200);
  });

  it('are re-encrypted with the newest key, and the older one is no longer needed', async () => {
    await set('SHOP_TOKEN', { value: VALUE });
    environment['SECRETS_KEY'] = `2:${'n'.repeat(40)},1:${OLD_KEY}`;
    await app.restart();
    await app.runSchedule('re-encryption');
    environment['SECRETS_KEY'] = `2:${'n'.repeat(40)}`;
    await app.restart();
    expect(await app.get(AgentSecretsService).valueOf(id, 'SHOP_TOKEN')).toBe(VALUE);
  });
});
