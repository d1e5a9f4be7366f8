import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRESETS } from '../../src/modules/builds/frameworks/catalog.js';
import { derive, type Mode, type Preset } from '../../src/modules/builds/frameworks/preset.js';
import { Source } from '../../src/modules/builds/frameworks/source.js';
import { inspectionOf } from '../../src/modules/builds/plan/inspection.js';
import { FRAMEWORKS } from '../../src/modules/projects/project-settings.js';
import { PROJECT_ROOT } from '../../src/platform/version.js';

const names = PRESETS.map(({ name }) => name);

describe('the presets of frameworks', () => {
  it('are the frameworks that a project can be set to, in the order of detection', () => {
    // The Dockerfile of a project is its own preset.
    expect([...names, 'docker']).toEqual([...FRAMEWORKS]);
  });

  it('have a file each', () => {
    const files = readdirSync(join(PROJECT_ROOT, 'src/modules/builds/frameworks'));
    expect(names.filter((name) => !files.includes(`${name}.ts`))).toEqual([]);
  });

  it('end with a mode that needs no condition, so that every source has one', () => {
    expect(PRESETS.filter(({ modes }) => modes.at(-1)?.when !== undefined)).toEqual([]);
  });

  it('have no name or alias twice', () => {
    const all = PRESETS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([]);
  });
});

/** A project that has nothing but a package.json: what a preset says about it are its defaults. */
const plain = new Source(inspectionOf({ found: true, entries: ['package.json'], manifest: { scripts: {} } }));
const PAGE = join(PROJECT_ROOT, 'docs/frameworks.md');
const TESTED = join(PROJECT_ROOT, 'test/frameworks/tested.json');
const BEGIN = '<!-- The table is generated from the presets: UPDATE_FRAMEWORKS=1. -->';
const END = '<!-- End of the table. -->';

const code = (text: string): string => `\`${text}\``;
const listed = (texts: readonly string[]): string => texts.map(code).join(', ');

function detection({ packages = [], files = [], condition }: Preset['detect']): string {
  const names = listed([...packages, ...files]);
  return [names, condition ?? ''].filter((part) => part !== '').join(' ');
}

function served(mode: Mode): string {
  const when = mode.condition === undefined ? '' : ` (${mode.condition})`;
  switch (mode.kind) {
    case 'refused':
      return `refused${when}`;
    case 'site':
      return `${derive(mode.fallback ?? null, plain) === null ? 'static files' : 'a single-page app'}${when}`;
    case 'server':
      return `a server${when}`;
  }
}

function output(mode: Mode): string[] {
  if (mode.kind === 'site') return derive(mode.outputs, plain).slice();
  if (mode.kind === 'refused') return [];
  if (mode.tree === 'standalone') return ['.next/standalone'];
  return typeof mode.tree === 'object' ? [mode.tree.directory] : derive(mode.leaves ?? [], plain).slice();
}

function row(preset: Preset): string {
  const tested = existsSync(TESTED)
    ? (JSON.parse(readFileSync(TESTED, 'utf8')) as Record<string, { version?: string; date: string } | undefined>)
    : {};
  const of = tested[preset.name];
  const build = derive(preset.build, plain);
  const cells = [
    `${preset.title} (${code(preset.name)})`,
    detection(preset.detect),
    build === null ? `script ${listed(derive(preset.buildScripts ?? ['build'], plain))}` : code(build),
    listed([...new Set(preset.modes.flatMap(output))]),
    preset.modes.map(served).join('; '),
    of === undefined ? 'not yet' : [of.version, of.date].filter((part) => part !== undefined).join(', '),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

const table = (): string =>
  [
    BEGIN,
    '',
    '| Framework | Detected by | Build | Output | Served as | Tested |',
    '|---|---|---|---|---|---|',
    ...PRESETS.map(row),
    '',
    END,
  ].join('\n');

describe('docs/frameworks.md', () => {
  it('has the table of all presets', () => {
    const page = readFileSync(PAGE, 'utf8');
    const between = page.slice(page.indexOf(BEGIN), page.indexOf(END) + END.length);
    if (process.env['UPDATE_FRAMEWORKS'] === '1')
      writeFileSync(
        PAGE,
        page.replace(between, () => table()),
      );
    else expect(between).toBe(table());
  });
});

describe('the messages of refused builds', () => {
  it('lead to headings of docs/builds.md', () => {
    const source = readFileSync(join(PROJECT_ROOT, 'src/modules/builds/plan/more-at.ts'), 'utf8');
    const sections = [...source.matchAll(/'([a-z-]+)'/g)].map(([, section]) => section!);
    const headings = [...readFileSync(join(PROJECT_ROOT, 'docs/builds.md'), 'utf8').matchAll(/^#+ (.*)$/gm)].map(
      ([, heading]) => heading!.toLowerCase().replaceAll(' ', '-'),
    );
    expect(sections.length).toBeGreaterThan(5);
    expect(sections.filter((section) => !headings.includes(section))).toEqual([]);
  });
});
