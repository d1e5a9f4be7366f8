import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { signUpWithKey } from '../support/built-client.js';
import { type Ended, type RunOptions, useCommandLine } from '../support/command-line.js';
import { FakeModelRouter, Gate } from '../support/fake-model-router.js';
import { eventually, TestApp } from '../support/test-app.js';

jest.setTimeout(60_000);

const MODEL = 'fake/small';
const settings: NodeJS.ProcessEnv = {
  ANONYMOUS_CALLS_PER_SECOND: '1000',
  DEFAULT_PLAN: 'pro',
  SANDBOX_ENABLED: 'false',
};
const router = FakeModelRouter.use(settings, { speaks: 'openrouter' });
const app = new TestApp(settings, 'all');
const command = useCommandLine(() => app.url);
let apiKey: string;

beforeAll(async () => {
  await app.start();
  await app.get(PriceSyncService).run(new AbortController().signal);
  ({ apiKey } = await signUpWithKey(app.url));
});
afterAll(() => app.stop());

const run = (args: readonly string[], options: RunOptions = {}): Promise<Ended> =>
  command.run(args, { env: { SERVICE_API_KEY: apiKey }, ...options });
const onTerminal = (args: readonly string[], answers: readonly (readonly [string, string])[]): Promise<Ended> =>
  command.runOnTerminal(args, answers, { SERVICE_API_KEY: apiKey, NO_COLOR: '1' });
const ok = async (args: readonly string[], options: RunOptions = {}): Promise<string> => {
  const { code, stdout, stderr } = await run(args, options);
  if (code !== 0) throw new Error(`${code}: ${stdout}${stderr}`);
  return stdout.trimEnd();
};
const json = async (args: readonly string[]): Promise<any> => JSON.parse(await ok([...args, '--json']));
const push = (text: string, ...args: string[]): Promise<Ended> => {
  writeFileSync(join(command.home, 'agent.yml'), text);
  return run(['agents', 'push', ...args]);
};

const FILE = `
slug: helper
name: Helper
instructions: |
  Answer briefly.
  Ask before you remember.
models: [${MODEL}]
tools:
  - name: remember
    approval: always
  - name: recall
  - name: ask_person
memory:
  blocks:
    - label: persona
      value: Be polite.
`;

describe('service agents push', () => {
  it('creates an agent, then updates it and shows the lines that differ', async () => {
    const created = await push(FILE);
    expect(created).toMatchObject({ code: 0, stdout: 'helper has version 1, which is live.\n' });
    expect(created.stderr).toContain('+   Answer briefly.');
    expect(await push(FILE)).toEqual({
      code: 0,
      stdout: 'helper already has version 1, which is live.\n',
      stderr: '',
    });
    const updated = await push(FILE.replace('Answer briefly.', 'Answer at length.'), '--no-promote');
    expect(updated.stdout).toBe('helper has version 2.\n');
    expect(updated.stderr.split('\n')).toEqual(
      expect.arrayContaining(['-   Answer briefly.', '+   Answer at length.', '    Ask before you remember.']),
    );
    expect(updated.stderr).not.toContain('tools');
    expect(await ok(['agents', 'promote', 'helper', '2'])).toBe('New runs of helper use version 2.');
    expect(await ok(['agents', 'versions', 'helper', '1', '2'])).toContain('+   Answer at length.');
    expect(await ok(['agents', 'versions', 'helper'])).toMatch(/^VERSION +LIVE .+\n2 +live +fake\/small .+\n1 /);
    expect(await ok(['agents', 'promote', 'helper', '1'])).toContain('version 1');
  });

  it('checks a file without changing anything, and reads back what it writes', async () => {
    const dry = await push(FILE.replace('helper', 'other'), '--dry-run');
    expect(dry).toMatchObject({ code: 0, stdout: 'other would have version 1, which is live.\n' });
    expect((await run(['agents', 'get', 'other'])).code).toBe(5);
    const shown = await ok(['agents', 'get', 'helper']);
    expect((await push(shown)).stdout).toContain('helper already has');
  });

  it.each([
    [2, 'no YAML', 'slug: ['],
    [2, 'no slug', 'name: x'],
    [2, 'a bomb', 'a: &a [x,x]\nslug: &b [*a,*a]\nname: x'],
    [6, 'all faults of a definition', 'slug: x\nname: x\nmodels: []\ntemperature: 9'],
  ])('exits with %i for %s', async (code, _what, text) => {
    const ended = await push(text);
    expect(ended).toMatchObject({ code, stdout: '' });
    if (code === 6) expect(ended.stderr).toMatch(/instructions[^]*models[^]*temperature/);
  });

  it('exits with 2 for a file that cannot be read', async () => {
    expect(await run(['agents', 'push', 'missing.yml'])).toMatchObject({ code: 2 });
  });
});

describe('service agents', () => {
  it('pauses, resumes, lists and deletes agents', async () => {
    await push(FILE.replace('helper', 'brief'));
    expect(await ok(['agents', 'pause', 'brief'])).toBe('brief is paused.');
    expect(await ok(['agents', 'list'])).toMatch(/brief +Helper +paused \(person\) +1 +agt_/);
    expect(await ok(['agents', 'resume', 'brief'])).toBe('brief is active.');
    expect((await run(['agents', 'delete', 'brief'])).code).toBe(2);
    expect(await ok(['agents', 'delete', 'brief', '--yes'])).toMatch(/^agt_\w+ is deleted\.$/);
  });

  it('sets secrets from standard input or a terminal, and never prints a value', async () => {
    await push(FILE);
    const set = await run(['agents', 'secrets', 'set', 'helper', 'TOKEN'], { input: 'hidden-1\n' });
    const asked = await onTerminal(['agents', 'secrets', 'set', 'helper', 'OTHER'], [['Value of OTHER: ', 'hidden-2']]);
    const list = await run(['agents', 'secrets', 'list', 'helper']);
    expect([set.code, asked.code, list.code]).toEqual([0, 0, 0]);
    expect(list.stdout).toMatch(/^NAME +UPDATED\nOTHER .+\nTOKEN .+\n$/);
    expect(JSON.stringify([set, asked, list])).not.toContain('hidden');
    expect((await run(['agents', 'secrets', 'set', 'helper', 'A=1'])).code).toBe(2);
    expect(await ok(['agents', 'secrets', 'rm', 'helper', 'TOKEN'])).toBe('TOKEN is deleted.');
  });

  it('reads and changes the memory', async () => {
    await push(FILE);
    const id = await ok(['agents', 'memory', 'add', 'helper', 'The shop ships on Mondays.', '--tag', 'shop']);
    expect(await ok(['agents', 'memory', 'list', 'helper', 'shipping monday'])).toContain(id);
    expect(await ok(['agents', 'memory', 'rm', 'helper', id])).toBe(`${id} is deleted.`);
    expect(await ok(['agents', 'memory', 'set-block', 'helper', 'persona', 'Be brief.'])).toBe(
      'persona has version 2.',
    );
    expect(await ok(['agents', 'memory', 'blocks', 'helper'])).toBe('persona version 2\nBe brief.');
    const stale = await run([...['agents', 'memory', 'set-block', 'helper', 'persona', 'x', '--version-number', '1']]);
    expect(stale).toMatchObject({ code: 6, stderr: expect.stringContaining('has changed') });
  });
});

describe('service agents run', () => {
  it('prints the id of a run, which other commands show, and the output with --watch', async () => {
    await push(FILE);
    const id = await ok(['agents', 'run', 'helper', 'Say hello.', '--max-cost', '0.5', '--max-steps', '3']);
    expect(id).toMatch(/^run_/);
    const watched = await run(['runs', 'watch', id]);
    expect(watched).toMatchObject({ code: 0, stdout: 'Hello from the fake.\n' });
    expect(watched.stderr).toMatch(/\$0\.\d+ · 1 steps · 0 tool calls/);
    expect(await ok(['runs', 'get', id])).toBe('Hello from the fake.');
    expect(await json(['runs', 'get', id])).toMatchObject({ state: 'succeeded', budget: { cost: '0.5', steps: 3 } });
    expect(await ok(['runs', 'list', '--state', 'succeeded'])).toMatch(new RegExp(`${id} +succeeded +\\$0\\.`));
    expect(await ok(['runs', 'transcript', id])).toContain('Hello from the fake.');
    expect((await run(['runs', 'cancel', id])).code).toBe(6);
    expect(await run(['agents', 'run', 'helper', '--watch'], { input: 'Say hello.' })).toMatchObject({
      code: 0,
      stdout: 'Hello from the fake.\n',
    });
  });

  it('exits with 2 for an input or an amount that is none', async () => {
    for (const args of [['x', '--max-cost', 'much'], ['[1]', '--input-json'], [' ']])
      expect(await run(['agents', 'run', 'helper', ...args])).toMatchObject({ code: 2, stdout: '' });
  });

  it('asks for an approval on the terminal, with every character of the arguments visible', async () => {
    const input = { text: 'The shop \u202Eships.' };
    router.next({ tools: [{ name: 'remember', arguments: JSON.stringify(input) }] });
    router.next({ text: 'Remembered.' });
    const ended = await onTerminal(
      ['agents', 'run', 'helper', 'Remember it.', '--watch'],
      [['Approve exactly this? [y/N] ', 'y']],
    );
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain('"text": "The shop \\u{202e}ships."');
    expect(ended.stdout).toMatch(/← remember succeeded[^]*Remembered\./);
  });

  it('tells the model why a call was denied', async () => {
    router.next({ tools: [{ name: 'remember', arguments: '{"text":"A secret."}' }] });
    router.next({ text: 'I leave it.' });
    const ended = await onTerminal(
      ['agents', 'run', 'helper', 'Remember it.', '--watch'],
      [
        ['Approve exactly this? [y/N] ', 'n'],
        ['Why not? ', 'It is secret.'],
      ],
    );
    expect(ended.stdout).toContain('I leave it.');
    expect(JSON.stringify(router.calls.at(-1)!.body.messages)).toContain('It is secret.');
  });

  it('leaves decisions to other commands when there is no terminal', async () => {
    router.next({ tools: [{ name: 'remember', arguments: '{"text":"A fact."}' }] });
    router.next({ text: 'Done.' });
    const id = await ok(['agents', 'run', 'helper', 'Remember it.']);
    await eventually(async () => (await json(['approvals', 'list', '--run', id])).length === 1, 'it waits', 20_000);
    const [approval] = await json(['approvals', 'list', '--run', id]);
    expect(await ok(['approvals', 'list'])).toMatch(new RegExp(`${approval.id} +remember .+A fact`));
    expect(await ok(['approvals', 'show', approval.id])).toBe('{\n  "text": "A fact."\n}');
    expect((await run(['approvals', 'approve', approval.id, '--arguments', '[]'])).code).toBe(2);
    expect(await ok(['approvals', 'approve', approval.id, '--arguments', '{"text":"Another fact."}'])).toContain(
      `remember of ${id} is approved.`,
    );
    expect((await run(['runs', 'watch', id])).stdout).toBe('Done.\n');
    expect(await ok(['agents', 'memory', 'list', 'helper', 'another'])).toContain('Another fact.');
    expect((await run(['approvals', 'deny', approval.id])).code).toBe(6);
  });

  it('answers the question of a run, on the terminal and by command', async () => {
    const question = { tools: [{ name: 'ask_person', arguments: '{"question":"Which shop?"}' }] };
    router.next(question);
    router.next({ text: 'Thanks.' });
    const asked = await onTerminal(
      ['agents', 'run', 'helper', 'Ask.', '--watch'],
      [['Which shop?\r\n> ', 'The old one']],
    );
    expect([asked.code, asked.stdout.includes('Thanks.')]).toEqual([0, true]);
    expect(JSON.stringify(router.calls.at(-1)!.body.messages)).toContain('The old one');

    router.next(question);
    router.next({ text: 'Thanks again.' });
    const id = await ok(['agents', 'run', 'helper', 'Ask.']);
    await eventually(async () => (await json(['runs', 'get', id])).waiting_for === 'answer', 'it asks', 20_000);
    expect(await ok(['runs', 'answer', id, 'The new one'])).toMatch(new RegExp(`^${id} is `));
    expect((await run(['runs', 'watch', id])).stdout).toBe('Thanks again.\n');
  });

  it('exits with 1 when the run is cancelled', async () => {
    const gate = new Gate();
    router.next({ text: 'Never seen.', before: gate });
    const id = await ok(['agents', 'run', 'helper', 'Wait.']);
    await gate.reached;
    const watched = run(['runs', 'watch', id]);
    expect(await ok(['runs', 'cancel', id])).toBe(`${id} is cancelled.`);
    gate.letGo();
    expect(await watched).toMatchObject({ code: 1, stdout: 'cancelled\n' });
  });
});

describe('service schedules', () => {
  it('previews, creates, lists, pauses, triggers and deletes', async () => {
    await push(FILE);
    const times = ['--cron', '0 7 * * 1-5', '--time-zone', 'Europe/Berlin'];
    expect((await ok(['schedules', 'preview', ...times, '--count', '3'])).split('\n')).toHaveLength(3);
    const created = await run(['schedules', 'create', 'helper', 'Report.', ...times, '--max-cost', '0.1']);
    expect(created).toMatchObject({ code: 0, stderr: expect.stringContaining('Next: 2') });
    const id = created.stdout.trim();
    expect(await ok(['schedules', 'list'])).toMatch(new RegExp(`${id} +Helper +0 7 \\* \\* 1-5 +active +2`));
    expect(await ok(['schedules', 'pause', id])).toBe(`${id} is paused.`);
    expect(await ok(['schedules', 'resume', id])).toBe(`${id} is active.`);
    expect(await ok(['schedules', 'trigger', id])).toMatch(/^(run_|due)/);
    expect(await ok(['schedules', 'delete', id, '--yes'])).toBe(`${id} is deleted.`);
    for (const args of [['preview'], ['preview', '--every', '60', '--cron', '* * * * *'], ['preview', '--every', 'x']])
      expect((await run(['schedules', ...args])).code).toBe(2);
  });
});

describe('service swarms', () => {
  it('starts, lists, shows and cancels', async () => {
    await push(FILE);
    await push(FILE.replace('helper', 'worker'));
    const args = ['--coordinator', 'helper', '--worker', 'worker=2', '--max-cost', '1'];
    expect((await run(['swarms', 'run', 'Goal.', ...args.slice(0, 4)])).code).toBe(2);
    expect((await run(['swarms', 'run', 'Goal.', ...args, '--worker', 'x=0'])).code).toBe(2);
    const started = await run(['swarms', 'run', 'Find the best shop.', ...args]);
    expect(started).toMatchObject({ code: 0, stdout: expect.stringMatching(/^swm_/) });
    const id = started.stdout.trim();
    expect(await ok(['swarms', 'list'])).toContain(id);
    expect(await json(['swarms', 'get', id])).toMatchObject({ goal: 'Find the best shop.', board: [] });
    await run(['swarms', 'cancel', id]);
    expect((await run(['swarms', 'watch', id])).stdout.length).toBeGreaterThan(0);
  });
});
