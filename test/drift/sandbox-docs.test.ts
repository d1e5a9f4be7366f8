import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLANS } from '../../src/modules/plans/plan.js';
import { PROJECT_ROOT } from '../../src/platform/version.js';

describe('docs/sandbox.md', () => {
  it('states the limits of each plan', () => {
    const rows = readFileSync(join(PROJECT_ROOT, 'docs/sandbox.md'), 'utf8').split('\n');
    const number = (value: number): string => value.toLocaleString('en-US');
    for (const { name, sandbox } of Object.values(PLANS)) {
      expect(rows).toContain(
        `| ${name} | ${number(sandbox.timeoutMs)} | ${number(sandbox.memoryMib)} | ${number(sandbox.concurrency)} | ` +
          `${sandbox.artifactMib} MiB |`,
      );
      const { count, minutes } = sandbox.sessions;
      const longest = minutes < 60 ? `${minutes} minutes` : `${minutes / 60} hours`;
      expect(rows).toContain(`| ${name} | ${number(count)} | ${longest} |`);
    }
  });
});
