import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Environment, ROLES } from '../../src/platform/config/environment.js';
import { environmentNames } from '../support/environment-names.js';

const ROOT = join(__dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

type Value = string | number | boolean | undefined;

const DEFAULTS = new Environment() as unknown as Record<string, Value>;
const textOf = (value: Value): string => (value === undefined ? '' : String(value));

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

  it('lists every setting with its default, and no other', () => {
    const rows = [...sectionOf(readme, 'Configuration').matchAll(/^\| `([A-Z_]+)` \| (?:`([^`]*)`)? ?\|/gm)];
    expect(rows.map(([, name, value = '']) => [name, value])).toEqual(
      environmentNames().map((name) => [name, textOf(DEFAULTS[name])]),
    );
  });

  it('lists every role', () => {
    expect([...sectionOf(readme, 'Roles').matchAll(/^\| `([a-z]+)` \|/gm)].map(([, role]) => role)).toEqual([...ROLES]);
  });

  it.each(['README.md', 'CONTRIBUTING.md'])('links only to files that exist, with its companions: %s', (page) => {
    for (const [, path] of read(page).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
      expect({ path, exists: existsSync(join(ROOT, dirname(page), path!)) }).toEqual({ path, exists: true });
    }
  });
});

describe('.env.example', () => {
  const lines = [...read('.env.example').matchAll(/^# ([A-Z_]+)=(.*)$/gm)];

  it('lists every setting and no other', () => {
    expect(lines.map(([, name]) => name).sort()).toEqual(environmentNames().sort());
  });

  it('shows the default of each setting that has one', () => {
    const withDefault = lines.filter(([, name]) => textOf(DEFAULTS[name!]) !== '');
    expect(withDefault.map(([, name, value]) => [name, value])).toEqual(
      withDefault.map(([, name]) => [name, textOf(DEFAULTS[name!])]),
    );
  });

  it('sets nothing when it is copied', () => {
    expect(
      read('.env.example')
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#')),
    ).toEqual([]);
  });
});

function sectionOf(page: string, title: string): string {
  return page.split(/^## /m).find((section) => section.startsWith(`${title}\n`))!;
}
