import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

/**
 * Runs a test in a real browser. Without a browser the test is skipped, unless CI requires one (`REQUIRE_CHROMIUM=1`).
 */
export const inChromium = CHROMIUM === undefined && process.env['REQUIRE_CHROMIUM'] !== '1' ? it.skip : it;

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox', '--disable-background-networking'] });
}
