import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { PROJECT_ROOT } from '../../src/platform/version.js';

const SRC = join(PROJECT_ROOT, 'src');
const SUFFIX = /\.(service|store|guard|controller|module|filter|processor)\.ts$/;
const LIMIT = 120;

const filesIn = (folder: string, ending: RegExp): string[] =>
  readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name) && !name.includes('node_modules') && !/(^|\/)dist\//.test(name))
    .map((name) => join(PROJECT_ROOT, folder, name));

const code = filesIn('src', /\.ts$/).filter((file) => !file.endsWith('.spec.ts'));
const pascal = (kebab: string): string => kebab.replace(/(^|-)(\w)/g, (_, __, letter: string) => letter.toUpperCase());
const classesIn = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^export (?:abstract )?class (\w+)/gm)].map(([, name]) => name!);

describe('files', () => {
  it('with the suffix of a kind hold the class of that name', () => {
    const wrong = code
      .filter((file) => SUFFIX.test(file))
      .map((file) => ({ file: relative(SRC, file), expected: pascal(basename(file, '.ts').replace('.', '-')) }))
      .filter(({ file, expected }) => !classesIn(join(SRC, file)).includes(expected));
    expect(wrong.map(({ file, expected }) => `${file} should hold ${expected}`)).toEqual([]);
  });

  it('have no line above 120 columns', () => {
    const OF_OTHERS = /\/test\/(frameworks\/fixtures|sandbox\/corpus\/programs)\//;
    const files = ['src', 'test', 'migrations', 'scripts', 'bench', 'client/src', 'client/scripts', 'cli/src'].flatMap(
      (folder) => filesIn(folder, /\.(ts|mjs|cjs|js|lua|py)$/),
    );
    const long = files
      .filter((file) => !file.endsWith('client/src/openapi.ts') && !OF_OTHERS.test(file))
      .flatMap((file) =>
        readFileSync(file, 'utf8')
          .split('\n')
          .flatMap((line, index) => (line.length > LIMIT ? [`${relative(PROJECT_ROOT, file)}:${index + 1}`] : [])),
      );
    expect(files.length).toBeGreaterThan(1_000);
    expect(long).toEqual([]);
  });
});

describe('classes that Nest injects', () => {
  /** `Runbook` and `Runbooks` are a thing and its collection; two services that differ by one letter are a trap. */
  it('do not differ by one letter', () => {
    const injectable = code.flatMap((file) =>
      [
        ...readFileSync(file, 'utf8').matchAll(
          /@Injectable\(\)\n(?:@\w+\([^)]*\)\n)*export (?:abstract )?class (\w+)/g,
        ),
      ].map(([, name]) => name!),
    );
    const pairs = injectable.flatMap((one, index) =>
      injectable.slice(index + 1).flatMap((other) => (isOneLetterApart(one, other) ? [`${one}, ${other}`] : [])),
    );
    expect(injectable.length).toBeGreaterThan(300);
    expect(pairs).toEqual([]);
  });

  it('take more than seven collaborators in at most five places', () => {
    const wide = code.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/constructor\(\n([^]*?)\n {2}\) \{/g)].flatMap(([, parameters]) => {
        const count = parameters!.split('\n').filter((line) => /^ {4}\S.*,$/.test(line)).length;
        return count > 7 ? [`${relative(SRC, file)}: ${count}`] : [];
      }),
    );
    expect(wide.slice(5)).toEqual([]);
  });
});

function isOneLetterApart(one: string, other: string): boolean {
  if (one === other) return true;
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1) return false;
  let same = 0;
  while (same < short.length && short[same] === long[same]) same++;
  return long.slice(same + 1) === short.slice(long.length === short.length ? same + 1 : same);
}
