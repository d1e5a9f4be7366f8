import { existsSync } from 'node:fs';
import { type Browser, type BrowserServer, chromium } from 'playwright-core';

/**
 * Where the browser of the system is; undefined without one. The one without a window does the same work in half of the
 * time.
 */
export const CHROMIUM = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => existsSync(path));

export function launchChromium(): Promise<Browser> {
  return chromium.launch(options());
}

/** One browser for several test files, which connect to it; undefined without a browser, where tests are skipped. */
export async function serveChromium(): Promise<BrowserServer | undefined> {
  return CHROMIUM === undefined ? undefined : chromium.launchServer(options());
}

const options = (): { executablePath: string; args: string[] } => ({
  executablePath: CHROMIUM!,
  args: ['--no-sandbox', '--disable-background-networking'],
});
