// Jest loads this file outside of its own resolution of `./x.js`.
import './typescript-hook.cjs';
import 'reflect-metadata';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { BrowserServer } from 'playwright-core';
import { FakeModelRouter, ROUTER_KEY } from './fake-model-router.js';
import startServers from './servers.setup.js';
import type { TestApp } from './test-app.js';

/** Reports usage, so that there is something to show. */
const USAGE_TOKEN = 'usage-of-the-tests-of-the-web-app';

declare global {
  var webTest:
    | { readonly app: TestApp; readonly browser: BrowserServer | undefined; readonly models: FakeModelRouter }
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

  const { TestApp, WITHOUT_PROXY } = await import('./test-app.js');
  const { serveChromium } = await import('./chromium.js');
  const { npmRegistry } = await import('./npm-registry.js');
  const models = await startModels();
  // Builds use the registry that npm is configured with, which may be on an internal network.
  const BUILD_ALLOWED_HOSTS = npmRegistry().host;
  const app = new TestApp(
    {
      ...WITHOUT_PROXY,
      ANONYMOUS_CALLS_PER_SECOND: '1000',
      BUILD_ALLOWED_HOSTS,
      USAGE_TOKEN,
      OPENROUTER_URL: models.url,
      OPENROUTER_API_KEY: ROUTER_KEY,
    },
    'all',
  );
  await app.start();
  const { PriceSyncService } = await import('../../src/modules/ai/catalog/price-sync.service.js');
  await app.get(PriceSyncService).run(new AbortController().signal);
  const browser = await serveChromium();
  // The first account of an installation on this machine is its operator.
  const username = 'first-operator';
  const person = { username, email: `${username}@example.com`, password: 'a-long-enough-secret' };
  await app.post('/api/v1/auth/sign-up', person, { direct: true });
  process.env['WEB_TEST_OPERATOR'] = username;
  globalThis.webTest = { app, browser, models };
  process.env['WEB_TEST_URL'] = app.url;
  process.env['WEB_TEST_APPS_PORT'] = String(app.appsPort);
  process.env['WEB_TEST_USAGE_TOKEN'] = USAGE_TOKEN;
  process.env['WEB_TEST_DATABASE'] = app.config.databaseUrl;
  if (browser !== undefined) process.env['WEB_TEST_BROWSER'] = browser.wsEndpoint();
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
  models.alwaysFor('test/breaks', { text: 'One two three', errorFrame: { afterFrames: 2, code: 502, message: 'No.' } });
  models.alwaysFor('test/endless', { text: 'One two three', neverEnds: true });
  await models.start();
  return models;
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
