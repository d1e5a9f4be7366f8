/** Drills that are tests as well: kills under load, and a disk that is full. The tests tell what they have measured. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../service.mjs';

export const kills = (input) => runTests('kills', 'process/kills', input);

export function disk(input) {
  const isRoot = process.getuid() === 0;
  return isRoot
    ? runTests('disk', 'process/full-disk', input)
    : [{ drill: 'disk', count: '-', figures: 'needs root, to mount a tmpfs', verdict: 'left out' }];
}

async function runTests(drill, pattern, { short, signal }) {
  const directory = mkdtempSync(join(tmpdir(), 'drill-'));
  const report = join(directory, 'report');
  const jest = spawn(
    process.execPath,
    [join(ROOT, 'node_modules/jest/bin/jest.js'), '--selectProjects', 'service', '--testPathPatterns', pattern],
    {
      cwd: ROOT,
      env: { ...process.env, DRILL_REPORT: report, DRILL_KILLS: short ? '1' : '5' },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  // What it has started ends with it.
  signal.addEventListener('abort', () => {
    if (jest.exitCode === null) jest.kill('SIGTERM');
  });
  const [code] = await once(jest, 'close');
  const rows = existsSync(report)
    ? readFileSync(report, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];
  rmSync(directory, { recursive: true, force: true });
  const failed =
    code === 0 ? [] : [{ drill, count: '-', figures: `test/${pattern}.test.ts failed, see above`, verdict: 'missed' }];
  return [...rows.map((row) => ({ ...row, verdict: 'held' })), ...failed];
}
