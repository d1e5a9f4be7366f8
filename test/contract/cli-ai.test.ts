import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { signUpWithKey } from '../support/built-client.js';
import { type Ended, type RunOptions, useCommandLine } from '../support/command-line.js';
import { FakeModelRouter } from '../support/fake-model-router.js';
import { eventually, TestApp } from '../support/test-app.js';

jest.setTimeout(60_000);

const MODEL = 'fake/small';
const settings: NodeJS.ProcessEnv = { ANONYMOUS_CALLS_PER_SECOND: '1000', SANDBOX_ENABLED: 'false' };
const router = FakeModelRouter.use(settings, { speaks: 'openrouter' });
const app = new TestApp(settings, 'api');
const command = useCommandLine(() => app.url);
let apiKey: string;

beforeAll(async () => {
  await app.start();
  await app.get(PriceSyncService).run(new AbortController().signal);
  ({ apiKey } = await signUpWithKey(app.url));
});
afterAll(() => app.stop());

const run = (args: readonly string[], options: RunOptions = {}): Promise<Ended> =>
  command.run(['ai', ...args], { env: { SERVICE_API_KEY: apiKey }, ...options });
const messagesOf = (call: number): unknown => router.calls[call]!.body.messages;
const COST = /\$0\.0\d+ · \d+ tokens in, 4 out · gen_\w{26}/;

describe('service ai models', () => {
  it('lists models with their prices, without a key', async () => {
    const { code, stdout } = await run(['models'], { env: {} });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^MODEL +USD\/1M IN +USD\/1M OUT +CONTEXT .+\nfake\/embeddings +0\.02 .+\nfake\/small +1 +2 +32768 /,
    );
    expect(JSON.parse((await run(['models', '--json'])).stdout)).toMatchObject([{}, { id: MODEL }]);
  });
});

describe('service ai chat', () => {
  it('prints the answer to standard output and its cost to standard error', async () => {
    const ended = await run(['chat', MODEL, 'Say hello.', '--system', 'Be brief.', '--max-tokens', '50']);
    expect(ended).toEqual({ code: 0, stdout: 'Hello from the fake.\n', stderr: expect.stringMatching(COST) });
    expect(messagesOf(0)).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Say hello.' },
    ]);
    expect(router.calls[0]!.body.max_tokens).toBe(50);
  });

  it('reads the prompt from standard input, and takes the only model that there is', async () => {
    expect(await run(['chat'], { input: 'Say hello.' })).toMatchObject({ code: 0, stdout: 'Hello from the fake.\n' });
    expect(messagesOf(0)).toEqual([{ role: 'user', content: 'Say hello.' }]);
    expect((await run(['chat', '--model', MODEL, 'Once more.'])).code).toBe(0);
    expect(messagesOf(1)).toEqual([{ role: 'user', content: 'Once more.' }]);
  });

  it('prints the whole answer with --json', async () => {
    const { stdout } = await run(['chat', MODEL, 'Say hello.', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      choices: [{ message: { content: 'Hello from the fake.' } }],
      generation_id: expect.stringMatching(/^gen_/),
    });
  });

  it.each([
    [2, 'no prompt', ['chat', MODEL]],
    [2, 'the model twice', ['chat', MODEL, 'Hello', '--model', MODEL]],
    [2, 'a number that is none', ['chat', MODEL, 'Hello', '--max-tokens', 'few']],
    [5, 'an unknown model', ['chat', 'fake/none', 'Hello']],
  ])('exits with %i for %s', async (code, _what, args) => {
    expect(await run(args)).toMatchObject({ code, stdout: '' });
    expect(router.calls).toEqual([]);
  });

  it('keeps what arrived when the model breaks off, and exits with an error', async () => {
    router.next({ text: 'One two three', errorFrame: { afterFrames: 2, code: 502, message: 'died' } });
    const { code, stdout, stderr } = await run(['chat', MODEL, 'Count.']);
    expect({ code, stdout: stdout.trim() }).toEqual({ code: 1, stdout: 'One two' });
    expect(stderr).toContain('/docs/errors/upstream_error');
  });

  it('holds a conversation on a terminal, where Ctrl-C ends an answer and not the conversation', async () => {
    router.next({ text: 'I am \u001B[2Jwell' }, { text: 'One two three', neverEnds: true });
    const { code, stdout } = await command.runOnTerminal(
      ['ai', 'chat', MODEL],
      [
        ['> ', 'How are you?'],
        ['well', 'Count.'],
        ['three', '\u0003'],
        ['is charged', 'Thank you.'],
        ['from the fake.', '\u0004'],
      ],
      { SERVICE_API_KEY: apiKey },
    );
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(stdout).toContain('Stopped; what was generated is charged');
    expect(stdout).not.toContain('\u001B[2Jwell');
    expect(messagesOf(2)).toEqual([
      { role: 'user', content: 'How are you?' },
      { role: 'assistant', content: 'I am \u001B[2Jwell' },
      { role: 'user', content: 'Count.' },
      { role: 'assistant', content: 'One two three' },
      { role: 'user', content: 'Thank you.' },
    ]);
  });
});

describe('service ai generations', () => {
  it('lists what models did, newest first', async () => {
    await run(['chat', MODEL, 'Hello']);
    await eventually(
      async () => /^GENERATION .+\ngen_\w+ .+ fake\/small .+ 4 .+succeeded/.test((await run(['generations'])).stdout),
      'the generation is listed',
    );
    const listed = async (...args: string[]): Promise<{ readonly outcome: string }[]> =>
      JSON.parse((await run(['generations', '--json', ...args])).stdout);
    expect(await listed('--limit', '1')).toHaveLength(1);
    expect(await listed('--model', 'fake/embeddings')).toEqual([]);
    const failed = await listed('--outcome', 'failed', '--model', MODEL);
    expect([...new Set(failed.map(({ outcome }) => outcome))]).toEqual(['failed']);
    expect((await run(['generations', '--outcome', 'great'])).code).toBe(2);
    expect((await run(['generations'], { env: { SERVICE_API_KEY: 'svc_pat_wrong' } })).code).toBe(3);
  });
});
