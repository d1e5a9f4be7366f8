import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';

import * as rxjs from 'rxjs';

import { type Language, type SandboxFile } from '../../../src/modules/sandbox/domain/sandbox-runtime.js';
import { systemPython } from '../../../src/platform/python/system-python.js';

/** A program that others wrote. README.md lists where they come from. */
export interface CorpusProgram {
  readonly name: string;
  readonly language: Language;
  readonly code: string;
  readonly files: readonly SandboxFile[];
}

/** The names of `programs.txt` that a version of Python lacks. A version that is not here has to have them all. */
const LACKING: Readonly<Record<string, readonly string[]>> = {
  '3.10': ['python enum._simple_enum', 'python uuid.Enum', 'python uuid._simple_enum'],
  '3.12': ['python zipfile._ancestry'],
  '3.13': ['python zipfile._ancestry'],
};

/** The programs of `programs.txt`, which are examples in what is installed. */
export function examples(): CorpusProgram[] {
  const listed = readFileSync(join(__dirname, 'programs.txt'), 'utf8').trimEnd().split('\n');
  const known = new Map(allExamples().map((program) => [program.name, program]));
  expect(listed.filter((name) => !known.has(name))).toEqual(LACKING[pythonVersion()] ?? []);
  return listed.flatMap((name) => known.get(name) ?? []);
}

function pythonVersion(): string {
  return execFileSync(systemPython(), ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])']).toString().trim();
}

const PROGRAMS = join(__dirname, 'programs');
/** What stands in such a directory is no program: it is put beside the programs of its set. */
const BESIDE = 'beside';
const LANGUAGE_OF: Readonly<Record<string, Language>> = { '.py': 'python', '.js': 'javascript', '.ts': 'typescript' };

/** The programs that are in this repository. */
export function programs(): CorpusProgram[] {
  return readdirSync(PROGRAMS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: set }) => {
      const files = filesIn(join(PROGRAMS, set, BESIDE));
      return filesIn(join(PROGRAMS, set)).flatMap(({ path, content }) => {
        const language = LANGUAGE_OF[extname(path)];
        if (language === undefined || path.startsWith(`${BESIDE}/`)) return [];
        // In Node, the tests stand in a directory beside that of what they have in common.
        const code = content.replaceAll("'../common'", "'./common'");
        return [{ name: `${set}/${path}`, language, code, files }];
      });
    });
}

function filesIn(directory: string): SandboxFile[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => ({ path: relative(directory, path), content: readFileSync(path, 'utf8') }));
}

/** All that the sources hold, of which some print nothing, print something else each time or take long. */
function allExamples(): CorpusProgram[] {
  return [...pythonDocstrings(), ...lodashExamples(), ...rxjsExamples()];
}

const MODULES = [
  ...['statistics', 'fractions', 'decimal', '_pydecimal', 'difflib', 'heapq', 'textwrap', 'collections', 'enum'],
  ...['ipaddress', 'hashlib', 'json', 'json.encoder', 'pickle', 'pickletools', 'shutil', 'uuid', 'zipfile', 'doctest'],
  ...['http.cookies', '_threading_local', 'unittest.mock'],
];

function pythonDocstrings(): CorpusProgram[] {
  const script = join(__dirname, 'docstrings.py');
  const found = execFileSync(systemPython(), ['-I', '-B', script, ...MODULES], { maxBuffer: 2 ** 26 });
  const programs = Object.entries(JSON.parse(found.toString()) as Record<string, string>);
  return programs.map(([name, code]) => ({ name: `python ${name}`, language: 'python', code, files: [] }));
}

/** In lodash, each example ends with its value, in a comment after `// =>`. */
function lodashExamples(): CorpusProgram[] {
  const source = readFileSync(require.resolve('lodash/lodash.js'), 'utf8');
  const library = readFileSync(require.resolve('lodash/lodash.min.js'), 'utf8');
  const files = [{ path: 'lodash.js', content: library }];
  return blocksOf(source).flatMap((block) => {
    const [, name] = /@(?:memberOf _[\s\S]*@)?name (\w+)|^$/.exec(block) ?? [];
    const [, example] = /@example\n([\s\S]*)/.exec(block) ?? [];
    const method = /@memberOf _/.test(block) ? /_\.(\w+)\(/.exec(example ?? '')?.[1] : name;
    if (example === undefined || method === undefined) return [];
    const steps = example.split(/^\/\/ => .*$/m).filter((step) => step.trim() !== '');
    const code =
      `globalThis._ = require('./lodash.js');\nfor (const step of ${JSON.stringify(steps)}) {\n` +
      '  try { console.log((0, eval)(step)); } catch (error) { console.log(error.name, error.message); }\n}\n';
    return [{ name: `javascript lodash.${method}`, language: 'javascript', code, files }];
  });
}

const RXJS_MODULE = 'rxjs.cjs';

function rxjsExamples(): CorpusProgram[] {
  const directory = dirname(require.resolve('rxjs/package.json'));
  const bundle = readFileSync(join(directory, 'dist/bundles/rxjs.umd.min.js'), 'utf8');
  const names = Object.keys(rxjs).join(', ');
  const files = [
    { path: 'node_modules/rxjs/package.json', content: '{ "type": "module", "exports": "./index.js" }' },
    { path: `node_modules/rxjs/${RXJS_MODULE}`, content: bundle },
    {
      path: 'node_modules/rxjs/index.js',
      content: `import rxjs from './${RXJS_MODULE}';\nexport const { ${names} } = rxjs;\n`,
    },
  ];
  const sources = join(directory, 'src/internal');
  return (readdirSync(sources, { recursive: true }) as string[]).sort().flatMap((path) => {
    if (!path.endsWith('.ts')) return [];
    const examples = blocksOf(readFileSync(join(sources, path), 'utf8')).flatMap((block) =>
      [...block.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!),
    );
    return examples.map((code, index) => ({
      name: `typescript rxjs/${path.replace(/\.ts$/, '')} ${index + 1}`,
      language: 'typescript' as const,
      code,
      files,
    }));
  });
}

/** The documentation comments of a file, without their margin. */
function blocksOf(source: string): string[] {
  return [...source.matchAll(/\/\*\*\n([\s\S]*?)\*\//g)].map(([, block]) => block!.replace(/^ *\* ?/gm, ''));
}
