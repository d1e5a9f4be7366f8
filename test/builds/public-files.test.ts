import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { ArchiveReader } from '../../src/modules/builds/collect/archive-reader.js';
import { packInputOf } from '../../src/modules/builds/collect/pack-input.js';
import { PRESETS } from '../../src/modules/builds/frameworks/catalog.js';
import { planOf } from '../../src/modules/builds/plan/build-plan.js';
import { inspectionOf } from '../../src/modules/builds/plan/inspection.js';
import { publicFilter } from '../../src/modules/builds/plan/public-files.js';
import { type BuildPlan, SOURCE } from '../../src/modules/builds/plan/plan-types.js';
import type { Manifest } from '../../src/modules/hosting/ingest/manifest.js';
import { RequestFacts } from '../../src/modules/hosting/site/request-facts.js';
import { pathOfTarget } from '../../src/modules/hosting/site/request-path.js';
import { Site } from '../../src/modules/hosting/site/site.js';
import { keyOf } from '../../src/modules/hosting/store/content-keys.js';
import { PROJECT_ROOT } from '../../src/platform/version.js';

const run = promisify(execFile);
const INSIDE = join(PROJECT_ROOT, 'src/modules/builds/inside');
const NO_ROUTING = { redirects: [], rewrites: [], headers: [], cleanUrls: false, trailingSlash: null, notFound: null };

const inspect = createRequire(__filename)(join(INSIDE, 'inspect.cjs')) as (
  repository: string,
  root: string,
) => Record<string, unknown>;

const packed = async (plan: object): Promise<Buffer> =>
  (
    await run(process.execPath, [join(INSIDE, 'pack.cjs'), JSON.stringify(plan)], {
      encoding: 'buffer',
      maxBuffer: 50_000_000,
    })
  ).stdout;

/** The paths of a tree. A link has where it leads, and a file has nothing. */
type Tree = ReadonlyMap<string, string | null>;

const CODE = ['api', 'functions', 'netlify', 'server', 'supabase', 'prisma'];
const isHidden = (name: string): boolean => name.startsWith('.') && name !== '.well-known';
/** True for names that are never published, wherever a build leaves them. */
const isNeverPublic = (name: string): boolean => isHidden(name) || name === 'node_modules';

const NAMES = [
  ...['index.html', 'about.html', 'app.js', 'entry.mjs', 'package.json', 'Package.JSON', '.env', '.ENV', '.git'],
  ...['server', 'SERVER', 'Server.js', 'node_modules', 'Node_Modules', 'src', 'api', 'api.js', 'client', 'public'],
  ...['dist', 'build', 'a b', 'ü', '%2e%2e', '..%2f', '%00', 'x%5cy', '__proto__', 'constructor', '.well-known'],
  ...['browser', '_site', 'out', '.output', '.next', 'static', 'vercel.json', '_headers', 'schema.sql', 'index.php'],
  'assets',
];
const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
const links = fc.constantFrom(
  '..',
  '../..',
  '../package.json',
  '../src',
  '.',
  '/etc',
  '../.env',
  '../server',
  'app.js',
);

interface Made {
  readonly site: Site;
  readonly contents: ReadonlyMap<string, string>;
  /** The directory that is published, relative to the project. */
  readonly output: string;
}

/** A project with random files around the output of its preset, and random files and links within. */
const project = fc.record({
  preset: fc.constantFrom(...PRESETS.filter(({ modes }) => modes.some(({ kind }) => kind === 'site'))),
  hasBuild: fc.boolean(),
  files: fc.uniqueArray(path, { maxLength: 25 }),
  links: fc.array(fc.record({ at: path, to: links }), { maxLength: 4 }),
  linksOutput: fc.option(links, { freq: 8 }),
});

/** A site without a build. */
const PLAIN = {
  preset: PRESETS.find(({ name }) => name === 'static')!,
  hasBuild: false,
  files: ['index.html'],
  links: [],
  linksOutput: null,
};

/** The places that every request could try for a file: its own path and other spellings of it. */
function targetsOf(file: string): string[] {
  const encoded = `/${file.split('/').map(encodeURIComponent).join('/')}`;
  const every = `/${[...Buffer.from(file)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')}`;
  return [
    ...[`/${file}`, encoded, every, encoded.toUpperCase(), encoded.toLowerCase(), `/${encoded}`, `//${file}`],
    ...[`/./${file}`, `/x/../${file}`, `/..${encoded}`, `/%2e%2e${encoded}`, `/..%2f${file}`, `/%2e${encoded}`],
    ...[`${encoded}/`, `${encoded}%00`, `${encoded}%00.html`, `${encoded}.`, `${encoded}%20`, `/\\${file}`],
    ...[encoded.replaceAll('/', '%2f'), encoded.replaceAll('/', '\\'), encoded.replaceAll('/', '//')],
    ...[encoded.replaceAll('%', '%25'), `/assets/..${encoded}`, encoded.replace(/\.html$/, ''), `${encoded}?x=1`],
    ...[`/public${encoded}`, `/client${encoded}`, `/server${encoded}`, `/static/..%5c${file}`],
  ];
}

/** True when a link of the tree leads the path out of it. */
function leadsOut(root: string, name: string): boolean {
  let parent = dirname(join(root, name));
  while (lstatSync(parent, { throwIfNoEntry: false }) === undefined) parent = dirname(parent);
  const real = realpathSync(parent);
  return real !== root && !real.startsWith(`${root}/`);
}

describe('whatever tree a build leaves', () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'public-files-')));
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });
  let count = 0;

  /** Writes the project. Each file has its own path as content. */
  function write(files: Tree): string {
    const root = join(directory, String(++count));
    mkdirSync(root);
    for (const [name, link] of files) {
      try {
        if (leadsOut(root, name)) continue;
        mkdirSync(dirname(join(root, name)), { recursive: true });
        if (link === null) writeFileSync(join(root, name), `content of ${name}`, { flag: 'wx' });
        else symlinkSync(link, join(root, name));
      } catch {
        // A path that lies below a file, or exists, is not a part of this tree.
      }
    }
    return root;
  }

  async function siteOf(root: string, plan: BuildPlan): Promise<Made | null> {
    const here = JSON.parse(JSON.stringify(packInputOf(plan)).replaceAll(SOURCE, root)) as object;
    const archive = await packed(here);
    const reader = new ArchiveReader(chunksOf(archive), () => undefined);
    const facts = await reader.facts();
    if (!facts.found || facts.isPageless) return null;
    const isPublic = publicFilter(plan, facts.output);
    const contents = new Map<string, string>();
    const files: [string, Manifest['files'][string]][] = [];
    for await (const file of reader.files()) {
      if (!isPublic(file.path) || !('content' in file)) continue;
      let text = '';
      for await (const chunk of file.content) text += chunk.toString();
      const sha256 = createHash('sha256').update(text).digest('hex');
      contents.set(keyOf(sha256), text);
      files.push([file.path, { sha256, bytes: file.bytes }]);
    }
    const served = plan.serve(facts);
    const { framework, nodeVersion } = plan;
    const manifest: Manifest = {
      version: 1,
      framework,
      nodeVersion,
      ...served,
      routing: NO_ROUTING,
      files: Object.fromEntries(files),
    };
    return { site: await Site.open(manifest), contents, output: facts.output };
  }

  it('no request reaches a file outside of the public output of the preset', async () => {
    let reached = 0;
    await fc.assert(
      fc.asyncProperty(project, async ({ preset, hasBuild, files, links: wanted, linksOutput }) => {
        const mode = preset.modes.find(({ kind }) => kind === 'site')!;
        const outputs =
          mode.kind === 'site' && Array.isArray(mode.outputs) ? (mode.outputs as readonly string[]) : ['dist'];
        const output = outputs[0]!;
        const tree = new Map<string, string | null>();
        if (linksOutput !== null && hasBuild) tree.set(output, linksOutput);
        const font = 'assets/node_modules/inter/regular.ttf';
        for (const file of ['package.json', '.env', 'server/index.js', 'src/index.html', font, ...files])
          tree.set(file, null);
        for (const file of ['index.html', 'assets/app.js', font, ...files]) tree.set(`${output}/${file}`, null);
        for (const { at, to } of wanted) tree.set(`${output}/${at}`, to);
        const root = write(tree);
        writeFileSync(join(root, 'package.json'), JSON.stringify({ scripts: hasBuild ? { build: 'x' } : {} }));

        const inspection = inspectionOf(inspect(root, ''));
        let plan: BuildPlan;
        try {
          const settings = { framework: preset.name, ...(hasBuild ? { buildCommand: 'x' } : {}) };
          plan = planOf(settings, inspection, { nodeVersions: ['24'], report: () => undefined });
        } catch {
          // A refused source has no site.
          return;
        }
        if (plan.serve({ output: '', server: null }).kind === 'server') return;
        const made = await siteOf(root, plan);
        if (made === null) return;
        // Without a build, the root directory is the output, and only what is never published must stay out.
        const publishesRoot = made.output === '';
        const places = plan.pack.candidates.map(({ named }) => named);
        const holdsPages = (place: string): boolean =>
          [...tree.keys()].some((name) => name.toLowerCase().startsWith(`${place}/`) && /\.html$/i.test(name));
        const mayBe = (content: string): boolean => {
          const name = content.replace(/^content of /, '');
          if (publishesRoot) {
            const names = name.toLowerCase().split('/');
            const isCode = CODE.includes(names[0]!) && !holdsPages(names[0]!);
            return !names.some(isNeverPublic) && !isCode && !['package.json', 'vercel.json'].includes(names[0]!);
          }
          const place = places.find((each) => name.startsWith(`${each}/`));
          if (place === undefined) return false;
          const names = name
            .slice(place.length + 1)
            .toLowerCase()
            .split('/');
          // Expo exports the pictures and fonts of packages there.
          const isOfExpo = names[0] === 'assets' && names[1] === 'node_modules';
          return !names.some(isOfExpo ? isHidden : isNeverPublic);
        };
        for (const target of new Set([...tree.keys()].flatMap(targetsOf))) {
          const asked = pathOfTarget(target);
          if (asked === undefined) continue;
          const found = made.site.resolve(asked, new RequestFacts('x', '', {}));
          if (found.kind !== 'file') continue;
          const { key } = found.file.representations(new Date(0)).plain;
          const content = made.contents.get(key);
          expect(content).toBeDefined();
          reached++;
          if (!mayBe(content!)) throw new Error(`${preset.name}: ${target} reached "${content}"`);
        }
      }),
      {
        numRuns: 40,
        examples: [
          // A directory with the name of a page does not make the directory above it one of pages.
          [{ ...PLAIN, files: ['SERVER/index.html/index.php', 'index.html'] }],
        ],
      },
    );
    expect(reached).toBeGreaterThan(20);
  }, 120_000);
});

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield await Promise.resolve(bytes.subarray(at, at + 65_536));
}
