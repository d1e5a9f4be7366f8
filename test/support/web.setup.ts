// Jest loads this file outside of its own resolution of `./x.js`.
import './typescript-hook.cjs';
import 'reflect-metadata';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { BrowserServer } from 'playwright-core';
import startServers from './servers.setup.js';
import type { TestApp } from './test-app.js';

/** Reports usage, so that there is something to show. */
const USAGE_TOKEN = 'usage-of-the-tests-of-the-web-app';

declare global {
  var webTest: { readonly app: TestApp; readonly browser: BrowserServer | undefined } | undefined;
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
  // Builds use the registry that npm is configured with, which may be on an internal network.
  const BUILD_ALLOWED_HOSTS = npmRegistry().host;
  const app = new TestApp(
    { ...WITHOUT_PROXY, ANONYMOUS_CALLS_PER_SECOND: '1000', BUILD_ALLOWED_HOSTS, USAGE_TOKEN },
    'all',
  );
  await app.start();
  const browser = await serveChromium();
  // The first account of an installation on this machine is its operator.
  const username = 'first-operator';
  const person = { username, email: `${username}@example.com`, password: 'a-long-enough-secret' };
  await app.post('/api/v1/auth/sign-up', person, { direct: true });
  process.env['WEB_TEST_OPERATOR'] = username;
  globalThis.webTest = { app, browser };
  process.env['WEB_TEST_URL'] = app.url;
  process.env['WEB_TEST_APPS_PORT'] = String(app.appsPort);
  process.env['WEB_TEST_USAGE_TOKEN'] = USAGE_TOKEN;
  process.env['WEB_TEST_DATABASE'] = app.config.databaseUrl;
  if (browser !== undefined) process.env['WEB_TEST_BROWSER'] = browser.wsEndpoint();
}
