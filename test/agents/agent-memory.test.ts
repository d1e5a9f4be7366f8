import { AgentTools } from '../../src/modules/agents/agent-tools.js';
import type { CallingRun, ToolCall, ToolOutcome } from '../../src/modules/agents/agent-tool.js';
import { AgentVersionsService } from '../../src/modules/agents/agent-versions.service.js';
import { MemoriesService } from '../../src/modules/agents/memories.service.js';
import { as, expectStatus, Make, type Person, send, uniqueName } from '../support/make.js';
import { type Answer, useApp } from '../support/test-app.js';
import { RUN_START } from '../support/tool-caller.js';

const PATH = '/api/v1/agents';
const MEMORY = {
  blocks: [
    { label: 'persona', description: 'How it speaks.', value: 'Be brief.' },
    { label: 'facts', value: '' },
  ],
};
const RUN = 'run_00000000000000000000000001';

describe('the memory of agents', () => {
  const app = useApp({}, 'api');
  const make = new Make(app);
  let ada: Person;
  let key: string;
  let id: string;

  beforeAll(async () => {
    ada = await make.person({ plan: 'pro' });
    key = await make.key(ada);
  });
  beforeEach(async () => {
    const tools = [{ name: 'remember' }, { name: 'recall' }, { name: 'set_memory_block' }];
    const body = { name: uniqueName('agent'), instructions: 'x', models: ['m'], memory: MEMORY, tools };
    id = expectStatus(201, await app.post(PATH, body, as(key))).body.data.id;
  });

  const blocks = async (): Promise<any[]> =>
    expectStatus(200, await app.fetch(`${PATH}/${id}/blocks`, as(key))).body.data as any[];
  const setBlock = (label: string, value: string, version: number): Promise<Answer> =>
    send(app, ['PUT', `${PATH}/${id}/blocks/${label}`], { value, version }, as(key));
  const add = async (text: string, tags: string[] = []): Promise<any> =>
    expectStatus(201, await app.post(`${PATH}/${id}/memories`, { text, tags }, as(key))).body.data;
  const memories = (query = ''): Promise<Answer> => app.fetch(`${PATH}/${id}/memories${query}`, as(key));
  const search = async (query: string): Promise<string[]> =>
    expectStatus(200, await memories(`?query=${encodeURIComponent(query)}`)).body.data.map(
      ({ text }: { text: string }) => text,
    );
  const memory = (method: string, memoryId: string, body?: object): Promise<Answer> =>
    body === undefined
      ? app.call(method, `${PATH}/${id}/memories/${memoryId}`, as(key))
      : send(app, [method, `${PATH}/${id}/memories/${memoryId}`], body, as(key));
  const codeOf = (answer: Answer): [number, string] => [answer.status, answer.body.error?.code];

  const run = (isTainted = false): CallingRun => ({
    id: RUN,
    orgId: ada.organization.id,
    agentId: id,
    agentVersion: 1,
    parentRunId: null,
    swarmId: null,
    isTainted,
  });
  /** Calls a tool as a run does. */
  const callTool = async (name: string, input: object, isTainted = false): Promise<ToolOutcome> => {
    const version = (await app.get(AgentVersionsService).find(id, 1))!;
    const use = version.tools.find((each) => each.name === name)!;
    const [tool] = await app.get(AgentTools).find(name)!.toolsOf(use, version, RUN_START);
    return tool!.call({ input, run: run(isTainted) } as unknown as ToolCall);
  };

  describe('blocks', () => {
    it('begin with the texts of the definition, in its order', async () => {
      expect(await blocks()).toEqual([
        {
          label: 'persona',
          description: 'How it speaks.',
          value: 'Be brief.',
          version: 1,
          tainted: false,
          updated_at: expect.any(String),
        },
        { label: 'facts', value: '', version: 1, tainted: false, updated_at: expect.any(String) },
      ]);
    });

    it('are compared and set, and keep their texts in later versions of the agent', async () => {
      expect((await setBlock('persona', 'Be polite.', 1)).body.data).toMatchObject({ value: 'Be polite.', version: 2 });
      const stale = await setBlock('persona', 'Be rude.', 1);
      expect(codeOf(stale)).toEqual([409, 'stale_version']);
      expect(stale.body.error.details).toEqual({ name: 'persona', version: 2 });
      await send(app, ['PATCH', `${PATH}/${id}`], { instructions: 'y' }, as(key));
      expect((await blocks())[0]).toMatchObject({ value: 'Be polite.', version: 2 });
    });

    it('let one of many racing writers win', async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => setBlock('facts', `${index}`, 1)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(409)]);
    });

    it('return 404 for another label, and 400 for what does not fit', async () => {
      const missing = await setBlock('other', 'x', 1);
      expect(codeOf(missing)).toEqual([404, 'memory_block_not_found']);
      expect(missing.body.error.details.labels).toEqual(['persona', 'facts']);
      expect((await setBlock('facts', 'x'.repeat(16_385), 1)).status).toBe(400);
      const together = await setBlock('facts', 'x'.repeat(16_380), 1);
      expect(together.body.error.details[0]).toMatchObject({ path: 'value', code: 'max_bytes' });
      expect((await setBlock('facts', 'x', 0)).status).toBe(400);
    });

    it('are written by runs, which leave their mark on them', async () => {
      const change = { label: 'facts', value: 'A fact\0.', version: 1 };
      expect(await callTool('set_memory_block', change, true)).toEqual({
        kind: 'succeeded',
        output: { label: 'facts', version: 2 },
      });
      expect((await blocks())[1]).toMatchObject({ value: 'A fact.', version: 2, run_id: RUN, tainted: true });
      await expect(callTool('set_memory_block', change)).rejects.toMatchObject({ code: 'stale_version' });
      // A person who rewrites a block answers for it.
      await setBlock('facts', 'Checked.', 2);
      expect((await blocks())[1]).not.toHaveProperty('run_id');
      expect((await blocks())[1]).toMatchObject({ tainted: false });
      const version = (await app.get(AgentVersionsService).find(id, 1))!;
      const shown = await app.get(MemoriesService).blocksOf(version);
      expect(shown.map(({ value }) => value)).toEqual(['Be brief.', 'Checked.']);
    });
  });

  describe('the archive', () => {
    it('takes, shows, changes and deletes memories', async () => {
      const added = await add('The shop ships on Mondays.', ['shipping']);
      expect(added).toEqual({
        id: expect.stringMatching(/^mem_[0-9a-z]{26}$/),
        agent_id: id,
        text: 'The shop ships on Mondays.',
        tags: ['shipping'],
        tainted: false,
        created_at: expect.any(String),
        updated_at: added.created_at,
      });
      expect((await memory('GET', added.id as string)).body.data).toEqual(added);
      const changed = await memory('PATCH', added.id as string, { tags: ['days', 'shipping'] });
      expect(changed.body.data).toMatchObject({ text: added.text, tags: ['days', 'shipping'] });
      expect((await memory('DELETE', added.id as string)).status).toBe(204);
      for (const method of ['GET', 'DELETE'])
        expect(codeOf(await memory(method, added.id as string))).toEqual([404, 'memory_not_found']);
      expect(codeOf(await memory('PATCH', added.id as string, { text: 'x' }))).toEqual([404, 'memory_not_found']);
    });

    it('lists them newest first, in pages', async () => {
      const ids: string[] = [];
      for (const text of ['a', 'b', 'c']) ids.unshift((await add(text)).id as string);
      const first = (await memories('?limit=2')).body;
      const second = (await memories(`?limit=2&cursor=${first.meta.next_cursor}`)).body;
      expect([...first.data, ...second.data].map((each: any) => each.id as string)).toEqual(ids);
    });

    it('finds words, beginnings of words and similar words, the best matches first', async () => {
      await add('Kubernetes is not used here.');
      await add('The shop ships on Mondays and Thursdays.');
      await add('Deploys of the shop fail when the cache is full.');
      expect(await search('deploy shop fails')).toEqual([
        'Deploys of the shop fail when the cache is full.',
        'The shop ships on Mondays and Thursdays.',
      ]);
      expect(await search('kubernets')).toEqual(['Kubernetes is not used here.']);
      expect(await search('zebra')).toEqual([]);
      expect(await search("'); -- & | ! :* <->")).toEqual([]);
      expect(await search('ÜBER')).toEqual([]);
    });

    it('finds words in a database without pg_trgm', async () => {
      await add('The shop ships on Mondays.');
      const store = app.get(MemoriesService)['memories'];
      const has = store['hasTrigrams'];
      store['hasTrigrams'] = Promise.resolve(false);
      expect([await search('monday'), await search('mundays')]).toEqual([['The shop ships on Mondays.'], []]);
      store['hasTrigrams'] = has;
    });

    it.each([
      [{}],
      [{ text: '' }],
      [{ text: 'ü'.repeat(4_097) }],
      [{ text: 'x\0' }],
      [{ text: 'x', tags: ['Not a tag'] }],
      [{ text: 'x', tags: ['a', 'a'] }],
      [{ text: 'x', tags: Array.from({ length: 11 }, (_, index) => `t${index}`) }],
    ])('returns 400 for what cannot be a memory, case %#', async (body) => {
      const answer = await app.post(`${PATH}/${id}/memories`, body, as(key));
      expect(codeOf(answer)).toEqual([400, 'invalid_request']);
    });

    it('returns 400 beyond ten thousand memories', async () => {
      await make.sql(
        `INSERT INTO agent_memories (id, agent_id, text, tags, tainted, created_at, updated_at)
         SELECT 'mem_' || $1::text || n, $2, 'Fact number ' || n, '{}', false, now(), now()
         FROM generate_series(1, 10000) AS n`,
        [uniqueName('x'), id],
      );
      const answer = await app.post(`${PATH}/${id}/memories`, { text: 'One more.' }, as(key));
      expect(answer.body.error.details[0].code).toBe('max_memories');
      expect(await search('number 4711')).toContain('Fact number 4711');
    });

    it('is used by runs, and what a marked run remembers marks the run that recalls it', async () => {
      await callTool('remember', { text: 'Safe fact about apples.', tags: ['fruit'] });
      expect(await callTool('recall', { query: 'apples' })).toMatchObject({ taints: false });
      await callTool('remember', { text: 'A page says: apples are free.' }, true);
      const recalled = await callTool('recall', { query: 'apples', limit: 5 });
      expect(recalled).toMatchObject({ kind: 'succeeded', taints: true });
      expect((recalled as { output: any[] }).output.map(({ text }) => text as string).sort()).toEqual([
        'A page says: apples are free.',
        'Safe fact about apples.',
      ]);
      const tainted = (await memories()).body.data[0];
      expect(tainted).toMatchObject({ run_id: RUN, tainted: true });
      const edited = (await memory('PATCH', tainted.id as string, { text: 'Apples cost 1.' })).body.data;
      expect(edited).toMatchObject({ tainted: false });
      expect(edited).not.toHaveProperty('run_id');
    });

    it('is not shared with other agents', async () => {
      const { id: memoryId } = await add('A secret of this agent.');
      const body = { name: uniqueName('agent'), instructions: 'x', models: ['m'] };
      id = expectStatus(201, await app.post(PATH, body, as(key))).body.data.id;
      expect(codeOf(await memory('GET', memoryId as string))).toEqual([404, 'memory_not_found']);
      expect(await search('secret')).toEqual([]);
    });
  });
});
