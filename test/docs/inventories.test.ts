import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../src/platform/version.js';

const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');
const filesBelow = (directory: string): string[] =>
  readdirSync(join(PROJECT_ROOT, directory), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .map((name) => join(directory, name));
const foundIn = (directory: string, pattern: RegExp): string[] => {
  const found = filesBelow(directory).flatMap((path) => [...read(path).matchAll(pattern)].map(([, name]) => name!));
  return [...new Set(found)].sort();
};

describe('the inventories', () => {
  it('have each action of the audit log that is written as one text in docs/operations/logs.md', () => {
    const page = read('docs/operations/logs.md');
    // What is recorded is the field `action`, or an argument beside the call.
    const actions = foundIn('src', /(?:\baction: |\bcall, (?:[^'`;{}]*, )?)'([a-z_]+\.[a-z_]+)'/g);
    expect(actions.length).toBeGreaterThan(80);
    expect(actions.filter((action) => !page.includes(`\`${action}\``))).toEqual([]);
  });

  it('have each table in docs/security/data.md', () => {
    const page = read('docs/security/data.md');
    const tables = foundIn('migrations', /CREATE TABLE (?:IF NOT EXISTS )?([a-z_]+)/g);
    expect(tables.length).toBeGreaterThan(80);
    expect(tables.filter((table) => !page.includes(`\`${table}\``))).toEqual([]);
  });
});
