/**
 * Draws the Mermaid diagrams of the documentation: `npm run diagrams`. Each becomes a picture in docs/diagrams that is
 * named by the hash of its source, which the pages under /docs show in its place. It needs Chromium and the registry of
 * npm; the service needs neither, and GitHub draws the source itself.
 */
import '../on-pinned-node.mjs';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { diagramsIn, nameOf } from './diagrams.mjs';

const MERMAID = 'mermaid@11.17.2';
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DIRECTORY = join(ROOT, 'docs/diagrams');
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

const workDir = mkdtempSync(join(tmpdir(), 'diagrams-'));
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
try {
  execFileSync('npm', ['pack', '--silent', MERMAID], { cwd: workDir, stdio: 'inherit' });
  execFileSync('tar', ['-xzf', readdirSync(workDir).find((name) => name.endsWith('.tgz'))], { cwd: workDir });
  const page = await browser.newPage();
  await page.addScriptTag({ path: join(workDir, 'package/dist/mermaid.min.js') });
  await page.evaluate(() => {
    globalThis.mermaid.initialize({
      startOnLoad: false,
      theme: 'neutral',
      fontFamily: 'system-ui, sans-serif',
      htmlLabels: false,
      flowchart: { htmlLabels: false },
    });
  });
  mkdirSync(DIRECTORY, { recursive: true });
  const wanted = new Map(diagramsIn(ROOT).map((source) => [nameOf(source), source]));
  for (const name of readdirSync(DIRECTORY)) if (!wanted.has(name)) rmSync(join(DIRECTORY, name));
  for (const [name, source] of wanted) {
    const svg = await page.evaluate(
      async ([id, text]) => (await globalThis.mermaid.render(id, text)).svg,
      [`d${name.slice(0, 8)}`, source],
    );
    const drawn = tidy(svg);
    writeFileSync(join(DIRECTORY, name), `${drawn}\n`);
    console.log(`${name}: ${drawn.length} bytes`);
  }
} finally {
  await browser.close();
  rmSync(workDir, { recursive: true, force: true });
}

/** Gives a picture its own size, in place of that of the page that it was drawn in, and rounds what nobody sees. */
function tidy(svg) {
  const [, width, height] = /viewBox="[\d.-]+ [\d.-]+ ([\d.]+) ([\d.]+)"/.exec(svg);
  return svg
    .replace('width="100%"', `width="${Math.ceil(width)}" height="${Math.ceil(height)}"`)
    .replace(/ style="max-width[^"]*"/, '')
    .replace(/(\.\d)\d+/g, '$1');
}
