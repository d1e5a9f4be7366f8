import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

/**
 * A test in a real browser. Without one it is skipped; where CI asks for it (`REQUIRE_CHROMIUM=1`), that it is missing
 * is a failure.
 */
export const inChromium = CHROMIUM === undefined && process.env['REQUIRE_CHROMIUM'] !== '1' ? it.skip : it;

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox', '--disable-background-networking'] });
}
