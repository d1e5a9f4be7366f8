/**
 * Installs, builds, checks and tests the starters in `templates/` as somebody would who has just cloned one: in a scratch
 * directory, from the lock file, with nothing of this project beside it. `npm run test:templates [name …]`
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TEMPLATES = fileURLToPath(new URL('../templates/', import.meta.url));
const STEPS = [['ci', '--no-audit', '--no-fund'], ['run', 'build'], ['run', 'typecheck'], ['test']];
const STEP_TIMEOUT_MS = 300_000;

const names = process.argv.length > 2 ? process.argv.slice(2) : readdirSync(TEMPLATES);
for (const name of names) {
  const directory = mkdtempSync(join(tmpdir(), `template-${name}-`));
  try {
    cpSync(join(TEMPLATES, name), directory, { recursive: true });
    for (const step of STEPS) run(name, directory, step);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function run(name, cwd, step) {
  const from = performance.now();
  const { status, stdout, stderr, error } = spawnSync('npm', step, {
    cwd,
    // What they would tell their makers is nobody's business, and a test shall not wait for it.
    env: { ...process.env, CI: 'true', NEXT_TELEMETRY_DISABLED: '1', EXPO_NO_TELEMETRY: '1', NODE_ENV: undefined },
    encoding: 'utf8',
    maxBuffer: 64 * 1_048_576,
    timeout: STEP_TIMEOUT_MS,
  });
  console.log(`${name}: npm ${step.join(' ')}: ${((performance.now() - from) / 1000).toFixed(1)} s`);
  if (status === 0) return;
  console.error(error ?? `${stdout}\n${stderr}`);
  process.exit(1);
}
