import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { IdKind } from '../../src/platform/ids/define-id.js';
import type { ErrorDefinitions } from '../../src/platform/errors/define-errors.js';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { ERROR_CATALOG } from '../../src/roles/error-catalog.js';
import { ID_CATALOG } from '../../src/roles/id-catalog.js';

const SRC = join(PROJECT_ROOT, 'src');
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
  .map((name) => join(SRC, name));

const text = (file: string): string => readFileSync(file, 'utf8');
const nameOf = (file: string): string => relative(SRC, file);

/** The files that declare something by a call of `name`. */
const callersOf = (name: string): string[] => sources.filter((file) => new RegExp(`= ${name}\\(`).test(text(file)));

/** The constants of a file that are made by a call of `name`. */
async function declaredIn<Declaration>(file: string, name: string): Promise<Declaration[]> {
  const constants = [...text(file).matchAll(new RegExp(`^export const (\\w+) = ${name}\\(`, 'gm'))];
  const exported = (await import(file)) as Record<string, Declaration>;
  return constants.map(([, constant]) => exported[constant!]!);
}

describe('the errors of the modules', () => {
  it('are declared in files called *.errors.ts', () => {
    expect(callersOf('defineErrors').length).toBeGreaterThan(15);
    expect(
      callersOf('defineErrors')
        .filter((file) => !file.endsWith('.errors.ts'))
        .map(nameOf),
    ).toEqual([]);
  });

  it('are all in the catalog of the roles', async () => {
    const declared = await Promise.all(
      callersOf('defineErrors').map((file) => declaredIn<ErrorDefinitions>(file, 'defineErrors')),
    );
    const definitions = declared.flat().flatMap((group) => Object.values(group));
    expect(definitions.map(({ code }) => code).sort()).toEqual(ERROR_CATALOG.codes);
    for (const definition of definitions) expect(ERROR_CATALOG.get(definition.code)).toBe(definition);
  });
});

describe('the kinds of ids', () => {
  it('are declared in files called *.ids.ts', () => {
    expect(callersOf('defineId').length).toBeGreaterThan(10);
    expect(
      callersOf('defineId')
        .filter((file) => !file.endsWith('.ids.ts'))
        .map(nameOf),
    ).toEqual([]);
  });

  it('are all in the catalog of the roles', async () => {
    const declared = await Promise.all(callersOf('defineId').map((file) => declaredIn<IdKind>(file, 'defineId')));
    expect(
      declared
        .flat()
        .map(({ prefix }) => prefix)
        .sort(),
    ).toEqual([...ID_CATALOG.prefixes].sort());
  });
});

describe('the metrics', () => {
  /** File and name of each metric. prom-client returns an existing metric, so it reports no duplicate names. */
  const metrics = sources.flatMap((file) => {
    const constants = new Map(
      [...text(file).matchAll(/^const ([A-Z_]+) = '([a-z_]+)';$/gm)].map(([, constant, name]) => [constant!, name!]),
    );
    return [...text(file).matchAll(/\bmake(?:Counter|Gauge|Histogram|Summary)Provider\(\{\s*name: (\w+)/g)].map(
      ([, constant]) => ({ file: nameOf(file), constant: constant!, name: constants.get(constant!) }),
    );
  });

  it('have names that this test can read', () => {
    const calls = sources.flatMap((file) => [
      ...text(file).matchAll(/\bmake(?:Counter|Gauge|Histogram|Summary)Provider\(|new (?:Counter|Gauge|Histogram)\(/g),
    ]);
    expect(metrics.length).toBe(calls.length);
    expect(metrics.length).toBeGreaterThan(40);
    expect(metrics.filter(({ name }) => name === undefined)).toEqual([]);
  });

  it('have different names, whichever process has them', () => {
    const names = metrics.map(({ name }) => name);
    expect(metrics.filter(({ name }, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});
