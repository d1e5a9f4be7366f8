import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { as, expectStatus, Make, type Person } from '../support/make.js';
import { connectMcp } from '../support/mcp-clients.js';
import { callMcp, OAuthFlow } from '../support/oauth.js';
import { onThisMachine } from '../support/patience.js';
import { eventually, useApp } from '../support/test-app.js';

jest.setTimeout(onThisMachine(120_000));

const PAGE = join(PROJECT_ROOT, 'docs/mcp-repair.md');
const READS = ['projects:read', 'repositories:read', 'deploys:read'];
const WRITES = ['repositories:write', 'deploys:write'];
const BUILD = [
  "import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';",
  '',
  "const greeting = readFileSync('content/greeting.txt', 'utf8');",
  "mkdirSync('dist');",
  "writeFileSync('dist/index.html', `<h1>${greeting.trim()}</h1>`);",
  '',
].join('\n');

/** Nothing is stood in for but the model, whose part this test plays: grants, commits, builds and hosts are real. */
const app = useApp({ DEPLOY_CONCURRENCY: '2' });
const make = new Make(app);
const flow = new OAuthFlow(app);
let ada: Person;
let repository: string;

/** A project whose deploy fails, because its build reads a file by a wrong name. */
beforeAll(async () => {
  ada = await make.person({ plan: 'pro' });
  const key = await make.key(ada);
  const made = expectStatus(201, await app.post('/api/v1/repositories', { name: 'shop' }, as(key))).body.data;
  repository = made.id as string;
  const project = {
    name: 'Shop',
    repo_url: made.repo_url as string,
    framework: 'static',
    build_command: 'node tools/build.mjs',
    output_directory: 'dist',
  };
  expectStatus(201, await app.post('/api/v1/projects', project, as(key)));
  const planted = {
    branch: 'main',
    message: 'Greet people',
    files: [
      { path: 'tools/build.mjs', content: BUILD },
      { path: 'content/greetings.txt', content: 'Welcome to the shop\n' },
    ],
    expected_head: null,
  };
  expectStatus(201, await app.post(`/api/v1/repositories/${repository}/commits`, planted, as(key)));
  const states = async (): Promise<string[]> =>
    (await app.fetch('/api/v1/projects/shop/deploys', as(key))).body.data.map(({ state }: { state: string }) => state);
  await eventually(async () => (await states())[0] === 'error', 'the planted deploy has failed', 60_000);
});

/** What the agent does, as the page shows it: each call, and what it made of the result. */
class Transcript {
  private readonly lines: string[] = [];

  constructor(private readonly client: Client) {}

  /** Calls a tool. `learns` returns what the agent makes of the text of the result. */
  async call(name: string, given: object, learns: (text: string) => string): Promise<string> {
    const result = await this.client.callTool({ name, arguments: { ...given } });
    const text = (result.content as { text: string }[]).map((part) => part.text).join('\n');
    if (result.isError === true) throw new Error(`${name}: ${text}`);
    const shown = JSON.stringify(given, (field, value: unknown) => (field === 'content' ? '…' : value));
    this.says(`> ${name} ${shown}`, learns(text));
    return text;
  }

  says(...lines: string[]): void {
    this.lines.push(...lines);
  }

  /** The lines, with what differs from run to run as a name. */
  get text(): string {
    return this.lines
      .join('\n')
      .replaceAll(/\b(dpl|repo|prj|org)_[0-9a-z]{26}/g, '$1_…')
      .replaceAll(/\b[0-9a-f]{40}\b/g, '<commit>')
      .replaceAll(/http:\/\/dpl-[0-9a-z]{26}\.localhost:\d+/g, 'https://dpl-….apps.example.com');
  }
}

/** Returns the access token of a client to which Ada has consented with these scopes. */
const grantOf = async (scopes: readonly string[]): Promise<string> =>
  (await flow.connect(ada, { scopes: [...scopes], scope: scopes.join(' ') })).access_token;
const toolsOf = async (client: Client): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
const dataIn = (text: string): any => JSON.parse(text).data;
const textWithin = (text: string): string => /\n(quoted-\w+)\n([^]*)\n\1$/.exec(text)![2]!;

/** The line of the build that reads a file, with its number. */
function readingLineOf(build: string): string {
  const lines = build.split('\n');
  const index = lines.findIndex((line) => line.includes('readFileSync('));
  return `tools/build.mjs:${index + 1}: ${lines[index]}`;
}

async function open(url: string): Promise<string> {
  const host = new URL(url).host;
  return app.raw(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`, { port: app.appsPort });
}

/** Compares a part of the page with what has happened; UPDATE_MCP_REPAIR=1 writes it instead. */
function expectOnPage(part: string, text: string): void {
  const page = readFileSync(PAGE, 'utf8');
  const pattern = new RegExp(`(<!-- ${part} -->\n\n\`\`\`text\n)[^]*?(\n\`\`\`\n\n<!-- /${part} -->)`);
  expect(page).toMatch(pattern);
  const shown = page.replace(pattern, (_, before: string, after: string) => before + text + after);
  if (process.env['UPDATE_MCP_REPAIR'] === '1') writeFileSync(PAGE, shown);
  else expect(shown).toBe(page);
}

it('an agent with a grant that only reads finds why a deploy failed, and can change nothing', async () => {
  const token = await grantOf(READS);
  const client = await connectMcp(app, token);
  const script = new Transcript(client);
  let deploy = '';
  await script.call('list_deploys', { project_id: 'shop' }, (text) => {
    const [{ id, state, branch }] = dataIn(text);
    deploy = id as string;
    return `${id} of the branch ${branch} is in the state ${state}.`;
  });
  await script.call('get_deploy', { deploy_id: deploy }, (text) => {
    const { code, message } = dataIn(text).error;
    return `${code}: ${message}`;
  });
  await script.call('get_deploy_logs', { deploy_id: deploy }, (text) => {
    const found = /Error: ENOENT: [^"]*/.exec(textWithin(text));
    if (found === null) throw new Error(`The log does not say why: ${text}`);
    return found[0];
  });
  await script.call('read_files', { repository_id: repository, path: ['tools/build.mjs', 'content'] }, (text) => {
    const [build, content] = dataIn(textWithin(text)).files;
    return `${readingLineOf(build.content)}\ncontent has ${content.files.join(', ')}.`;
  });
  script.says('The build reads content/greeting.txt, and the file is called content/greetings.txt.');

  const names = await toolsOf(client);
  for (const name of ['write_files', 'deploy_project', 'cancel_deploy', 'update_project', 'create_repository']) {
    expect(names).not.toContain(name);
    const params = { name, arguments: {} };
    const { status, body } = await callMcp(app, token, 'tools/call', params);
    expect([name, status, body.error.code]).toEqual([name, 403, 'insufficient_scopes']);
    if (name === 'write_files') script.says('> write_files', `${body.error.code}: ${body.error.message}`);
  }
  await client.close();
  expectOnPage('finds', script.text);
});

it('with a grant that writes it mends it on a branch, deploys a preview and shows its address', async () => {
  const client = await connectMcp(app, await grantOf([...READS, ...WRITES]));
  expect(await toolsOf(client)).not.toContain('promote_deploy');
  const script = new Transcript(client);
  let head = '';
  let mended = '';
  await script.call('read_files', { repository_id: repository, path: ['tools/build.mjs'] }, (text) => {
    const { commit, branch, files } = dataIn(textWithin(text));
    head = commit as string;
    mended = (files[0].content as string).replace('content/greeting.txt', 'content/greetings.txt');
    return `The branch ${branch} is at ${head}.`;
  });
  const change = {
    repository_id: repository,
    branch: 'repair',
    message: 'Read the greeting by its name',
    files: [{ path: 'tools/build.mjs', content: mended }],
    expected_head: head,
  };
  await script.call('write_files', change, (text) => {
    const { branch, commit } = dataIn(text);
    return `The branch ${branch} is at ${commit}, where\n${readingLineOf(mended)}`;
  });
  let url = '';
  const built = await script.call(
    'deploy_project',
    { project_id: 'shop', branch: 'repair', type: 'preview', wait_seconds: 60 },
    (text) => {
      const { id, type, branch } = dataIn(text);
      return `${id} is a ${type} of the branch ${branch}.`;
    },
  );
  const { id } = dataIn(built);
  await eventually(
    async () => {
      const { content } = await client.callTool({ name: 'get_deploy', arguments: { deploy_id: id } });
      const deploy = dataIn((content as { text: string }[])[0]!.text);
      url = deploy.url as string;
      return deploy.state === 'ready';
    },
    'the preview is ready',
    60_000,
  );
  await script.call('get_deploy', { deploy_id: id }, (text) => {
    const { state, type } = dataIn(text);
    return `The ${type} is ${state}: ${dataIn(text).url}`;
  });
  await eventually(async () => (await open(url)).includes('<h1>Welcome to the shop</h1>'), `${url} answers`, 30_000);
  // What visitors see is as it was: nothing is in production yet.
  const production = await client.callTool({ name: 'list_deploys', arguments: { project_id: 'shop' } });
  const deploys = dataIn((production.content as { text: string }[])[0]!.text) as { type: string; live: boolean }[];
  expect(deploys.filter(({ type, live }) => type === 'production' && live)).toEqual([]);
  await client.close();
  expectOnPage('mends', script.text);
});
