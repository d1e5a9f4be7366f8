import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROLES } from '../../src/platform/config/config.js';

const ROOT = join(__dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('the README', () => {
  const readme = read('README.md');

  it('shows only commands that CI runs', () => {
    const blocks = [...readme.matchAll(/^(.*)\n```sh\n/gm)].map(
      ([, line]) => /^<!-- ci: ([a-z-]+) -->$/.exec(line!)?.[1],
    );
    expect(blocks.length).toBeGreaterThan(0);
    const ci = read('.ci/run');
    for (const name of blocks) expect(ci).toMatch(new RegExp(`readme ${name ?? 'a name'}\\b`));
  });

  it('names npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    for (const page of ['README.md', 'CONTRIBUTING.md']) {
      for (const [, script] of read(page).matchAll(/npm run ([\w:]+)/g)) expect(scripts).toHaveProperty([script!]);
    }
  });

  it('lists every role', () => {
    const roles = sectionOf(read('docs/operations/running.md'), 'Roles');
    expect([...roles.matchAll(/^\| `([a-z]+)` \|/gm)].map(([, role]) => role)).toEqual([...ROLES]);
  });

  it.each(['README.md', 'CONTRIBUTING.md'])('links only to files that exist, with its companions: %s', (page) => {
    for (const [, path] of read(page).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
      expect({ path, exists: existsSync(join(ROOT, dirname(page), path!)) }).toEqual({ path, exists: true });
    }
  });
});

function sectionOf(page: string, title: string): string {
  return page.split(/^## /m).find((section) => section.startsWith(`${title}\n`))!;
}
