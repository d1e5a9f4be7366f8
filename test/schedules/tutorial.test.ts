import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { COMMAND, CommandLine } from '../support/command-line.js';
import { FakeModelRouter } from '../support/fake-model-router.js';
import { Make } from '../support/make.js';
import { TestApp, WITHOUT_PROXY } from '../support/test-app.js';

const settings: NodeJS.ProcessEnv = { ...WITHOUT_PROXY, SANDBOX_ENABLED: 'false' };
const router = FakeModelRouter.use(settings, { speaks: 'openrouter' });
const app = new TestApp(settings, 'all');

beforeAll(async () => {
  await app.start();
  await app.get(PriceSyncService).run(new AbortController().signal);
});
afterAll(() => app.stop());

const page = readFileSync(join(PROJECT_ROOT, 'docs/agents-tutorial.md'), 'utf8');
const [byCurl = '', byCommandLine = ''] = page.split('## By command line');
const blocksOf = (text: string): string[] => [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block!);
const SCOPES = ['agents:read', 'agents:write', 'agents:run', 'ai:invoke'];

/** Runs a script as a reader would paste it. A command that fails ends it, also in the middle of a pipe. */
function run(script: string, env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const shell = spawn('bash', ['-euo', 'pipefail'], { env: { PATH: process.env['PATH'], ...env } });
    let output = '';
    for (const stream of [shell.stdout, shell.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    shell.on('close', (code) => {
      resolve({ code, output });
    });
    shell.stdin.end(script);
  });
}

/** Plays a model that remembers something once, and returns a key with the scopes that the page names. */
async function prepared(): Promise<string> {
  const make = new Make(app);
  const call = { name: 'remember', arguments: JSON.stringify({ text: 'Bread is about 14,000 years old.' }) };
  router.next({ tools: [call] });
  router.alwaysFor('fake/small', { text: 'Bread is old.' });
  return make.key(await make.person({ plan: 'builder' }), { scopes: SCOPES });
}

it('takes a reader from nothing to a scheduled agent with an approval', async () => {
  const key = await prepared();
  const blocks = blocksOf(byCurl);
  expect(blocks.length).toBeGreaterThan(8);
  const script = blocks.map((block) => block.replaceAll('curl -s ', 'curl -sS --fail-with-body ')).join('\n');
  const { code, output } = await run(script, { URL: app.url, KEY: key, MODEL: 'fake/small' });
  expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
  expect(output).toContain('Bread is old.');
  expect(output).toContain('fake/small');
});

describe('by command line', () => {
  const command = new CommandLine(() => app.url);
  const directory = mkdtempSync(join(tmpdir(), 'tutorial-'));
  beforeAll(() => {
    command.start();
    mkdirSync(join(directory, 'bin'));
    symlinkSync(COMMAND, join(directory, 'bin/service'));
  });
  afterAll(() => {
    command.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('does the same', async () => {
    const key = await prepared();
    const file = /^```yaml\n([^]*?)^```$/m.exec(byCommandLine)![1]!.replace('openai/gpt-mini', 'fake/small');
    writeFileSync(join(directory, 'agent.yml'), file);
    const blocks = blocksOf(byCommandLine);
    expect(blocks).toHaveLength(3);
    const { code, output } = await run([`cd ${directory}`, ...blocks].join('\n'), {
      ...command.environment,
      PATH: `${join(directory, 'bin')}:${process.env['PATH']!}`,
      SERVICE_API_KEY: key,
    });
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
    expect(output).toContain('Bread is old.');
  });
});
