import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { PriceSyncService } from '../../src/modules/ai/catalog/price-sync.service.js';
import { inChromium } from '../support/browser.js';
import { launchChromium } from '../support/chromium.js';
import { buildPackages } from '../support/built-packages.js';
import { signUpWithKey } from '../support/built-client.js';
import { FakeModelRouter } from '../support/fake-model-router.js';
import { useApp, WITH_SANDBOX } from '../support/test-app.js';

const ROOT = join(__dirname, '../..');
const CLIENT = join(ROOT, 'client');
const run = promisify(execFile);

// All runs come from this machine.
const settings: NodeJS.ProcessEnv = {
  ...WITH_SANDBOX,
  ANONYMOUS_CALLS_PER_SECOND: '1000',
  SANDBOX_EXECUTIONS_PER_DAY: '1000',
};
const router = FakeModelRouter.use(settings, { speaks: 'openrouter' });
// The README calls these.
router.models = [
  { id: 'openai/gpt-mini', pricing: { prompt: '0.000001', completion: '0.000002' } },
  { id: 'openai/embeddings', outputModalities: ['embeddings'], pricing: { prompt: '0.00000002', completion: '0' } },
];
const app = useApp(settings);
let directory: string;

beforeAll(async () => {
  await app.get(PriceSyncService).run(new AbortController().signal);
  buildPackages();
  // Here the packages are found that a user would have installed.
  mkdirSync(join(ROOT, 'node_modules/.cache'), { recursive: true });
  directory = mkdtempSync(join(ROOT, 'node_modules/.cache/client-examples-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** Runs a module as a user would and returns what it printed. */
async function runModule(name: string, code: string, { node = process.execPath, env = {} } = {}): Promise<string> {
  const file = join(directory, `${name}.mjs`);
  writeFileSync(file, code);
  const { stdout } = await run(node, [file], { env: { SERVICE_URL: app.url, ...env }, timeout: 20_000 });
  return stdout;
}

/** What a program does that uses all of it: a success, a failure, a time-out. As text, for each runtime. */
const SMOKE = `
  const { data } = await service.sandbox.try({ language: 'python', code: 'print(1 + 2)' });
  const refusal = await service.sandbox.try({ language: 'python', code: '' }).catch((error) => error);
  const reason = await service.sandbox.try({ language: 'python', code: '1' }, {
    signal: AbortSignal.abort('left') }).catch((error) => error);
  const sandbox = new LiveSandbox(service);
  let streamed = '';
  for await (const event of sandbox.tryStream({ language: 'python', code: 'print(3 + 4)' }))
    streamed += event.type === 'stdout' ? event.text : event.type[0];
  const refused = await sandbox.sessions.create({ language: 'python' }).catch((error) => error);
  const seen = {
    stdout: data.stdout,
    streamed,
    refused: [refused instanceof AuthenticationError, refused.name],
    refusal: [refusal instanceof ValidationError, refusal instanceof ServiceError, refusal.name,
      refusal.code, refusal.details[0].path],
    reason,
    requestId: refusal.requestId.slice(0, 4),
    budget: [service.lastBudget.tier, service.lastBudget.limit],
  };
`;
const SEEN = {
  stdout: '3\n',
  streamed: '7\nre',
  refused: [true, 'AuthenticationError'],
  refusal: [true, true, 'ValidationError', 'invalid_request', 'code'],
  reason: 'left',
  requestId: 'req_',
  budget: ['anonymous', 1000],
};

describe('the client library works', () => {
  // npm puts a Node of its own before that of the machine: both are to be found in PATH.
  const folders = [
    ...process.env['PATH']!.split(delimiter),
    ...['x64', 'arm64'].map((cpu) => join(ROOT, `node_modules/node-linux-${cpu}/bin`)),
  ];
  const nodes = new Set(
    folders
      .map((folder) => join(folder, 'node'))
      .filter((path) => existsSync(path))
      .map((path) => realpathSync(path)),
  );
  const versions = new Map(
    [...nodes].map((node) => [execFileSync(node, ['--version'], { encoding: 'utf8' }).trim(), node]),
  );

  it.each([...versions])('in Node %s', async (name, node) => {
    const printed = await runModule(
      `smoke-${name}`,
      `
      import { AuthenticationError, Service, ServiceError, ValidationError } from '@service/client';
      import { LiveSandbox } from '@service/client/sandbox';
      const service = new Service({ anonymous: true });
      ${SMOKE}
      console.log(JSON.stringify(seen));
    `,
      { node },
    );
    expect(JSON.parse(printed)).toEqual(SEEN);
  });

  inChromium('in Chromium, in a page of another origin than the API', async () => {
    const pages = await servePages();
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      await page.goto(`http://localhost:${(pages.address() as AddressInfo).port}/`);
      const seen = await page.evaluate(`(async () => {
        const { AuthenticationError, Service, ServiceError, ValidationError } = await import('/dist/index.js');
        const { LiveSandbox } = await import('/dist/live-sandbox.js');
        const service = new Service({ anonymous: true, baseUrl: ${JSON.stringify(app.url)} });
        ${SMOKE}
        return seen;
      })()`);
      expect(seen).toEqual(SEEN);
    } finally {
      await browser.close();
      pages.close();
    }
  });
});

describe('the examples in the README of the client library', () => {
  const readme = readFileSync(join(CLIENT, 'README.md'), 'utf8');
  // `builds`: a repository is really built, which needs a plan, a worker and the registry of npm; test/deploys has
  // that. `data`: databases and buckets, which the tests of `test/databases` and `test/objects` have.
  const examples = [...readme.matchAll(/^```(?:ts|js)( builds| data)?\n([^]*?)^```/gm)].map(
    ([, builds, code], index) => ({
      name: `example-${index + 1}`,
      code: code!,
      runs: builds === undefined,
    }),
  );

  let apiKey: string;

  beforeAll(async () => {
    apiKey = (await signUpWithKey(app.url)).apiKey;
  });

  it('are found', () => {
    expect(examples.length).toBeGreaterThanOrEqual(6);
  });

  it.each(examples.filter(({ runs }) => runs))('run unchanged: $name', async ({ name, code }) => {
    const { outputText } = ts.transpileModule(code, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    });
    expect(await runModule(name, outputText, { env: { SERVICE_API_KEY: apiKey } })).not.toBe('');
  });

  it('match the type declarations of the package', () => {
    const files = examples.map(({ name, code }) => {
      const file = join(directory, `${name}.mts`);
      writeFileSync(file, code);
      return file;
    });
    const program = ts.createProgram(files, {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
    });
    expect(
      ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
    ).toEqual([]);
  });
});

/** A page, and the package beside it. */
async function servePages(): Promise<Server> {
  const server = createServer((request, response) => {
    const script = /^\/dist\/([a-z-]+\.js)$/.exec(request.url!)?.[1];
    if (script === undefined)
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>A page</title>');
    else response.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(join(CLIENT, 'dist', script)));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, 'localhost', resolve);
  });
  return server;
}
