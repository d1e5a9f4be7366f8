import { CHROMIUM } from './chromium.js';

/**
 * Runs a test in a real browser. Without a browser the test is skipped, unless CI requires one (`REQUIRE_CHROMIUM=1`).
 */
export const inChromium = CHROMIUM === undefined && process.env['REQUIRE_CHROMIUM'] !== '1' ? it.skip : it;
