import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { PROJECT_ROOT } from '../../src/platform/version.js';

const MODULES = join(PROJECT_ROOT, 'src/modules');
const PAGE = join(PROJECT_ROOT, 'docs/architecture.md');
const PICTURE = /(?<=<!-- module graph -->\n```mermaid\n)[^]*?(?=```)/;

/** A module imports modules of its own level or of a level below, never above. */
const LEVELS = [
  ['ground', ['audit', 'dns', 'features', 'idempotency', 'limits', 'operators', 'plans']],
  ['who', ['auth', 'events', 'factors', 'identities', 'oauth', 'orgs', 'people', 'scim', 'sso']],
  ['money', ['metering', 'credits', 'billing']],
  [
    'products',
    [
      'agents',
      'ai',
      'builds',
      'crons',
      'databases',
      'deploys',
      'domains',
      'github',
      'hosting',
      'objects',
      'projects',
      'repositories',
      'runs',
      'sandbox',
      'schedules',
      'swarms',
      'uploads',
      'webhooks',
    ],
  ],
  ['surfaces', ['docs', 'health', 'mcp', 'metrics', 'ops', 'site', 'welcome']],
] as const;

const levelOf = (module: string): number =>
  LEVELS.findIndex(([, modules]) => (modules as readonly string[]).includes(module));
const moduleOf = (file: string): string => relative(MODULES, file).split('/')[0]!;

/** Module → the modules that it imports, types included. */
function readGraph(): Map<string, Set<string>> {
  const graph = new Map(
    readdirSync(MODULES)
      .sort()
      .map((module) => [module, new Set<string>()]),
  );
  const files = readdirSync(MODULES, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'),
  );
  for (const file of files.map((name) => join(MODULES, name))) {
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()'(\.[^']+)'/g)) {
      const target = resolve(dirname(file), path!);
      // Presets hold the text of configuration files, whose imports are none of ours.
      if (graph.has(moduleOf(target)) && moduleOf(target) !== moduleOf(file))
        graph.get(moduleOf(file))!.add(moduleOf(target));
    }
  }
  return graph;
}

/** The modules on a cycle: what is left after all that import nothing, or only what was taken away, are taken away. */
function cyclic(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  let left = [...graph.keys()];
  for (;;) {
    const next = left.filter((module) => [...graph.get(module)!].some((imported) => left.includes(imported)));
    if (next.length === left.length) return left;
    left = next;
  }
}

/** Only what is not implied: an arrow to what another import reaches anyway would hide the shape. */
function pictureOf(graph: ReadonlyMap<string, ReadonlySet<string>>): string {
  const reached = (module: string): Set<string> =>
    new Set([...graph.get(module)!].flatMap((imported) => [imported, ...reached(imported)]));
  const lines = [...LEVELS]
    .reverse()
    .flatMap(([level, modules]) => [
      `  subgraph ${level}`,
      ...[...modules].sort().map((module) => `    ${module}`),
      '  end',
    ]);
  const arrows = [...graph].flatMap(([module, imports]) =>
    [...imports]
      .sort()
      .filter((imported) => ![...imports].some((other) => reached(other).has(imported)))
      .map((imported) => `  ${module} --> ${imported}`),
  );
  return ['flowchart TD', ...lines, ...arrows, ''].join('\n');
}

describe('the modules', () => {
  const graph = readGraph();
  const edges = [...graph].flatMap(([module, imports]) => [...imports].map((imported) => ({ module, imported })));

  it('have a level each', () => {
    expect([...graph.keys()].filter((module) => levelOf(module) < 0)).toEqual([]);
    expect(LEVELS.flatMap(([, modules]) => modules).filter((module) => !graph.has(module))).toEqual([]);
  });

  it('have no import cycles', () => {
    expect(edges.length).toBeGreaterThan(20);
    expect(cyclic(graph)).toEqual([]);
  });

  it('import nothing from a higher level', () => {
    expect(edges.filter(({ module, imported }) => levelOf(imported) > levelOf(module))).toEqual([]);
  });

  it('look as docs/architecture.md shows them; UPDATE_MODULE_GRAPH=1 draws them again', () => {
    const page = readFileSync(PAGE, 'utf8');
    if (process.env['UPDATE_MODULE_GRAPH'] === '1')
      writeFileSync(
        PAGE,
        page.replace(PICTURE, () => pictureOf(graph)),
      );
    expect(PICTURE.exec(readFileSync(PAGE, 'utf8'))?.[0]).toBe(pictureOf(graph));
  });
});
