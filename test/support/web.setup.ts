// Jest loads this file outside of its own resolution of `./x.js`.
import './typescript-hook.cjs';
import 'reflect-metadata';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { BrowserServer } from 'playwright-core';
import { FakeModelRouter, ROUTER_KEY, type ScriptedAnswer } from './fake-model-router.js';
import startServers from './servers.setup.js';
import type { TestApp } from './test-app.js';
import { freePorts } from './free-port.js';

/** Reports usage, so that there is something to show. */
const USAGE_TOKEN = 'usage-of-the-tests-of-the-web-app';

declare global {
  var webTest:
    | {
        readonly app: TestApp;
        readonly browser: BrowserServer | undefined;
        readonly models: FakeModelRouter;
        readonly storage: Server;
      }
    | undefined;
}

/**
 * Before all tests of the web app: builds it, and starts one service and one browser for all of them. Variables that
 * begin with WEB_TEST_ tell the workers where they are.
 */
// Jest asks for a default export here.
export default async function startWeb(): Promise<void> {
  await startServers();
  const { status } = spawnSync(process.execPath, [join(__dirname, '../../scripts/build-web.mjs')], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The web app cannot be built; see above.');

  const { TestApp, WITH_SANDBOX, WITHOUT_PROXY } = await import('./test-app.js');
  const { serveChromium } = await import('./chromium.js');
  const { npmRegistry } = await import('./npm-registry.js');
  const models = await startModels();
  // Builds use the registry that npm is configured with, which may be on an internal network.
  const BUILD_ALLOWED_HOSTS = npmRegistry().host;
  // Apps, links and parts of uploads name the API before it listens. Callers come from addresses of their own, so that
  // nothing may stand in between.
  const [port, storagePort] = await freePorts();
  const url = `http://127.0.0.1:${port}`;
  const app = new TestApp(
    {
      ...WITHOUT_PROXY,
      ...WITH_SANDBOX,
      PORT: String(port),
      // Parts of uploads have links of this address, and pages may connect to their own origin only.
      PUBLIC_URL: url,
      STORAGE_DOMAIN: `storage.localhost:${storagePort}`,
      ANONYMOUS_CALLS_PER_SECOND: '1000',
      BUILD_ALLOWED_HOSTS,
      USAGE_TOKEN,
      OPENROUTER_URL: models.url,
      OPENROUTER_API_KEY: ROUTER_KEY,
    },
    'all',
  );
  await app.start();
  const storage = await passOn(storagePort, app.appsPort);
  const { ObjectsSettings } = await import('../../src/modules/objects/objects.settings.js');
  const { PriceSyncService } = await import('../../src/modules/ai/catalog/price-sync.service.js');
  await app.get(PriceSyncService).run(new AbortController().signal);
  const browser = await serveChromium();
  // The first account of an installation on this machine is its operator.
  const username = 'first-operator';
  const person = { username, email: `${username}@example.com`, password: 'a-long-enough-secret' };
  await app.post('/api/v1/auth/sign-up', person, { direct: true });
  process.env['WEB_TEST_OPERATOR'] = username;
  globalThis.webTest = { app, browser, models, storage };
  process.env['WEB_TEST_URL'] = url;
  process.env['WEB_TEST_STORAGE'] = app.get(ObjectsSettings).endpoint;
  process.env['WEB_TEST_APPS_PORT'] = String(app.appsPort);
  process.env['WEB_TEST_DATABASES_PORT'] = String(app.databasesPort);
  process.env['WEB_TEST_USAGE_TOKEN'] = USAGE_TOKEN;
  process.env['WEB_TEST_DATABASE'] = app.config.databaseUrl;
  if (browser !== undefined) process.env['WEB_TEST_BROWSER'] = browser.wsEndpoint();
}

/** Signed links name the port of the settings; the service under test listens on another one. */
async function passOn(from: number, to: number): Promise<Server> {
  const server = createServer((client) => {
    const upstream = connect(to, '127.0.0.1');
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    client.pipe(upstream).pipe(client);
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroy());
  });
  await once(server.listen(from, '127.0.0.1'), 'listening');
  return server;
}

/** Models of several kinds, one of which never ends its answers, and one of which breaks them off. */
async function startModels(): Promise<FakeModelRouter> {
  const models = new FakeModelRouter({ speaks: 'openrouter' });
  const price = (input: string, output: string): Record<string, string> => ({ prompt: input, completion: output });
  const expirationDate = new Date(Date.now() + 30 * 86_400_000).toISOString();
  models.models = [
    {
      id: 'acorn/oak-large',
      name: 'Acorn: Oak Large',
      contextTokens: 200_000,
      maxOutputTokens: 64_000,
      inputModalities: ['text', 'image'],
      pricing: { ...price('0.000003', '0.000015'), input_cache_read: '0.0000003', input_cache_write: '0.00000375' },
    },
    {
      id: 'acorn/oak-mini',
      name: 'Acorn: Oak Mini',
      contextTokens: 128_000,
      maxOutputTokens: 16_384,
      inputModalities: ['text', 'image'],
      pricing: price('0.00000025', '0.000002'),
    },
    {
      id: 'birch/birch-3-70b',
      name: 'Birch 3 70B',
      contextTokens: 131_072,
      maxOutputTokens: 8_192,
      pricing: price('0.000000075', '0.0000003'),
    },
    {
      id: 'birch/birch-embed',
      name: 'Birch Embed',
      contextTokens: 8_192,
      outputModalities: ['embeddings'],
      pricing: price('0.00000002', '0'),
    },
    { id: 'test/agent', name: 'Test: agent', contextTokens: 32_768, pricing: price('0.000001', '0.000002') },
    { id: 'test/breaks', name: 'Test: breaks off', contextTokens: 32_768, pricing: price('0.000001', '0.000002') },
    {
      id: 'test/endless',
      name: 'Test: endless',
      contextTokens: 32_768,
      pricing: price('0.000001', '0.000002'),
      expirationDate,
    },
  ];
  models.alwaysFor('acorn/oak-mini', { text: ANSWER });
  models.decide = (body) => (body.model === 'test/agent' ? answerOfAgent(body) : undefined);
  models.alwaysFor('test/breaks', { text: 'One two three', errorFrame: { afterFrames: 2, code: 502, message: 'No.' } });
  models.alwaysFor('test/endless', { text: 'One two three', neverEnds: true });
  await models.start();
  return models;
}

/** The model of agents: it calls the tool that the input names, and is done once the tool has answered. */
function answerOfAgent({
  messages,
}: {
  readonly messages: readonly { role: string; content?: unknown }[];
}): ScriptedAnswer {
  const isAnswered = messages.some(({ role }) => role === 'tool');
  const asked = JSON.stringify(messages.filter(({ role }) => role === 'user'));
  if (isAnswered && asked.includes('never end')) return { text: 'One two three', neverEnds: true };
  if (isAnswered) return { text: 'I have written it down. You can **rely** on it.' };
  if (asked.includes('remember'))
    return { text: 'I keep it.', tools: [{ name: 'remember', arguments: '{"text":"The shop ships on Mondays."}' }] };
  if (asked.includes('ask'))
    return {
      tools: [
        {
          name: 'ask_person',
          arguments: JSON.stringify({
            question: 'Which day?',
            schema: { type: 'object', properties: { day: { enum: ['Monday', 'Friday'] } }, required: ['day'] },
          }),
        },
      ],
    };
  return { text: 'There is nothing to do.' };
}

const ANSWER = `A **debounced** function waits until its calls have paused. Each call starts the wait again:

\`\`\`ts
function debounce(work: () => void, ms: number): () => void {
  let timer: ReturnType<typeof setTimeout>;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, ms);
  };
}
\`\`\`

Use it for a field that searches while a person types, and \`clearTimeout\` when the field goes away.`;
