import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { PROJECT_ROOT } from '../../src/platform/version.js';

const SRC = join(PROJECT_ROOT, 'src');
const MODULES = join(SRC, 'modules');

const codeIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .map((name) => join(folder, name));

const textOf = (file: string): string => readFileSync(file, 'utf8');
const nameOf = (file: string): string => relative(MODULES, file);
const moduleOf = (file: string): string | undefined =>
  file.startsWith(`${MODULES}/`) ? nameOf(file).split('/')[0] : undefined;

function importsOf(file: string): string[] {
  return [...textOf(file).matchAll(/(?:from |import\()'(\.[^']+)'/g)].map(([, path]) =>
    resolve(dirname(file), path!).replace(/\.js$/, '.ts'),
  );
}

/** Files of modules that another module or a role imports. */
const imported = new Set(
  codeIn(SRC).flatMap((file) => importsOf(file).filter((target) => moduleOf(target) !== moduleOf(file))),
);

describe('the root of a module', () => {
  it('holds only files that another module or a role imports', () => {
    const roots = codeIn(MODULES).filter((file) => nameOf(file).split('/').length === 2);
    const unused = roots.filter((file) => !file.endsWith('.module.ts') && !imported.has(file));
    expect(roots.length).toBeGreaterThan(50);
    expect(unused.map(nameOf)).toEqual([]);
  });

  it('holds no store, entity, controller or data transfer object', () => {
    const roots = codeIn(MODULES).filter((file) => nameOf(file).split('/').length === 2);
    expect(roots.map(nameOf).filter((name) => /\.(store|entity|controller|dto)\.ts$/.test(name))).toEqual([]);
  });
});

describe('modules for dependency injection', () => {
  it('export no store to other modules', () => {
    const modules = codeIn(MODULES).filter((file) => file.endsWith('.module.ts') && imported.has(file));
    const exporting = modules.filter((file) => /exports: \[[^\]]*Store\b|exports: STORES/.test(textOf(file)));
    expect(modules.length).toBeGreaterThan(20);
    expect(exporting.map(nameOf)).toEqual([]);
  });
});

describe('tables', () => {
  const migrations = codeIn(join(PROJECT_ROOT, 'migrations')).map(textOf).join('\n');
  const tables = new Set(
    [...migrations.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?"?(\w+)"?/g)].map(([, name]) => name!),
  );

  it('are read and written by one module each', () => {
    const users = new Map<string, Set<string>>();
    for (const file of codeIn(MODULES)) {
      const statements = textOf(file).matchAll(
        /\b(?:FROM|JOIN|UPDATE|INTO|TABLE|USING)\s+(?:ONLY\s+)?"?([a-z_]+)|@Entity\('(\w+)'/g,
      );
      for (const [, inSql, ofEntity] of statements) {
        const table = inSql ?? ofEntity!;
        if (tables.has(table)) users.set(table, (users.get(table) ?? new Set()).add(moduleOf(file)!));
      }
    }
    expect(users.size).toBeGreaterThan(40);
    const shared = [...users].filter(([, modules]) => modules.size > 1);
    expect(shared.map(([table, modules]) => `${table}: ${[...modules].sort().join(', ')}`)).toEqual([]);
  });
});
