/**
 * Makes the pictures of the documentation again: `npm run pictures`. It starts the service on a directory of its own,
 * fills it with a sample organization, and photographs its screens with the Chromium of the system.
 */
import '../on-pinned-node.mjs';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { chromium } from 'playwright-core';
import { ROOT, startService } from '../../bench/service.mjs';
import { makeSample, ORG } from './sample.mjs';

const DIRECTORY = join(ROOT, 'docs/pictures');
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const USAGE_TOKEN = 'usage-of-the-sample-organization';
/** Pictures are sharp on dense screens, and stay small. */
const SCALE = 1.5;
const QUALITY = 78;

const workDir = mkdtempSync(join(tmpdir(), 'pictures-'));
const service = await startService({
  settings: { SANDBOX_ENABLED: 'true', DEFAULT_PLAN: 'builder', USAGE_TOKEN, ANONYMOUS_CALLS_PER_SECOND: '1000' },
});
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
try {
  const sample = await makeSample({ url: service.url, usageToken: USAGE_TOKEN, workDir });
  mkdirSync(DIRECTORY, { recursive: true });
  for (const picture of picturesOf(sample)) await take(sample.caller.cookie, picture);
} finally {
  await browser.close();
  await service.stop();
  rmSync(workDir, { recursive: true, force: true });
}

function picturesOf({ storefront, failed, live }) {
  const app = `/app/${ORG}`;
  const project = `${app}/projects/${storefront.project}`;
  return [
    { name: 'projects', path: app, ready: 'li:has-text("storefront")' },
    { name: 'deploys-dark', path: project, ready: 'td:has-text("Failed")', dark: true },
    { name: 'deploy-log', path: `${project}/deploys/${live.id}`, ready: '[role=log] #L1' },
    { name: 'deploy-failed-dark', path: `${project}/deploys/${failed.id}`, ready: '[role=log] #L1', dark: true },
    { name: 'sandbox', path: `${app}/sandbox`, ready: '.cm-content', act: runProgram },
    { name: 'usage', path: `${app}/usage`, ready: 'figure canvas' },
    { name: 'palette-dark', path: app, ready: 'li:has-text("storefront")', dark: true, act: openPalette },
    { name: 'phone', path: project, ready: 'td:has-text("Ready")', width: 390, height: 780 },
  ];
}

async function take(cookie, { name, path, ready, act, dark = false, width = 1200, height = 760 }) {
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: SCALE,
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
  const [cookieName, value] = cookie.split(/=(.*)/s);
  await context.addCookies([{ name: cookieName, value, url: service.url, httpOnly: true, sameSite: 'Lax' }]);
  const page = await context.newPage();
  await page.goto(service.url + path);
  await page.locator(ready).first().waitFor();
  await act?.(page);
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  const devTools = await context.newCDPSession(page);
  const { data } = await devTools.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  writeFileSync(join(DIRECTORY, `${name}.webp`), Buffer.from(data, 'base64'));
  await context.close();
}

async function runProgram(page) {
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('Succeeded').first().waitFor();
  await page.getByText('Runtime').waitFor();
}

async function openPalette(page) {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('s');
}
