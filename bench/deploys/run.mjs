/**
 * From a push to what is live, beside the same done by hand: a static site, a change of a Next.js site and a change of
 * an Expo app, of the templates. By hand means git and npm, run outside of the service without isolation, in a
 * directory that keeps its packages and caches; both take turns, so that a machine that slows down slows both.
 *
 * Packages come from the registry. Where its name leads to an address of an inner network, builds have to be allowed
 * it: BUILD_ALLOWED_HOSTS=registry.npmjs.org.
 *
 *   npm run bench:deploys -- [static|nextjs|expo,…] [pushes of the static site] [changes of the others]
 */
import '../../scripts/on-pinned-node.mjs';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import {
  git,
  median,
  pushAndWait,
  quantile,
  repositoryWith,
  ROOT,
  run,
  sorted,
  startService,
  visit,
  write,
} from '../service.mjs';

const [kinds = 'static,nextjs,expo', pushes = '20', changes = '5'] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), 'bench-deploys-'));
/** Builds run by the newest Node that is here, and so does what is done by hand. */
const NODE = join(ROOT, `node_modules/node-linux-${process.arch}/bin`);
const ENVIRONMENT = {
  ...process.env,
  PATH: [NODE, process.env.PATH].join(delimiter),
  HOME: directory,
  // Bundlers keep caches here, also of earlier runs and other directories.
  TMPDIR: join(directory, 'tmp'),
  CI: '1',
  NEXT_TELEMETRY_DISABLED: '1',
  EXPO_NO_TELEMETRY: '1',
  NEXT_PRIVATE_STANDALONE: 'true',
};
const FRAMEWORKS = {
  nextjs: { file: 'app/page.tsx', marker: 'It runs.', page: '/' },
  expo: { file: 'app/index.tsx', marker: undefined, page: '/' },
};

mkdirSync(ENVIRONMENT.TMPDIR);
const service = await startService({ settings: { BUILD_ALLOWED_HOSTS: process.env.BUILD_ALLOWED_HOSTS ?? '' } });
try {
  console.log(
    `Node ${process.versions.node}; builds and what is done by hand: ` +
      `${(await run(join(NODE, 'node'), ['--version'])).trim()}\n`,
  );
  if (kinds.includes('static')) await measureStatic();
  for (const template of ['nextjs', 'expo']) if (kinds.includes(template)) await measureTemplate(template);
} finally {
  await service.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function measureStatic() {
  const files = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [
      `page-${index}.html`,
      `<!doctype html><title>${index}</title>${'text '.repeat(400)}`,
    ]),
  );
  const repository = await repositoryWith(service, 'static', { files: { ...files, 'index.html': 'first' } });
  const byHand = join(directory, 'static.git');
  await git(['init', '--quiet', '--bare', byHand]);
  await pushAndWait(service, repository);
  const [ours, live, theirs, phases] = [[], [], [], []];
  for (let round = 0; round < Number(pushes); round++) {
    write(repository.directory, { 'index.html': `change ${round}` });
    const { deploy, ms } = await pushAndWait(service, repository);
    ours.push(ms);
    phases.push(deploy.phase_ms);
    const answer = await visit(service.appsPort, new URL(deploy.aliases[0]).host);
    if (answer.status !== 200) throw new Error(`It answered ${answer.status}.`);
    live.push(ms + answer.ms);
    const from = performance.now();
    await git(['push', '--quiet', byHand, 'HEAD:main'], repository.directory);
    await git([
      'clone',
      '--quiet',
      '--depth',
      '1',
      '--branch',
      'main',
      `file://${byHand}`,
      join(directory, `static-${round}`),
    ]);
    theirs.push(performance.now() - from);
  }
  console.log(`## A static site of 21 files, ${pushes} pushes\n\n| What | p50 | p95 |\n|---|---|---|`);
  for (const [what, values] of [
    ['push → ready', ours],
    ['push → shown by the host of production', live],
    ['by hand: git push, git clone', theirs],
  ])
    console.log(`| ${what} | ${inSeconds(median(values))} | ${inSeconds(quantile(values, 0.95))} |`);
  console.log(`\nPhases, in ms: ${phasesOf(phases)}\n`);
}

async function measureTemplate(template) {
  const { file, marker } = FRAMEWORKS[template];
  const repository = await repositoryWith(service, template, { template });
  const path = join(repository.directory, file);
  const original = readFileSync(path, 'utf8');
  const shown = marker ?? />\s*([A-Z][^<{]{3,60}?)\s*</.exec(original)?.[1];
  if (shown === undefined || !original.includes(shown)) throw new Error(`${file} shows nothing that could be changed.`);
  const change = (round) => writeFileSync(path, original.replace(shown, `${shown} ${round}`));

  change('cold');
  const cold = await pushAndWait(service, repository, 100);
  const byHand = join(directory, template);
  const coldByHand = await timed(async () => {
    await git(['clone', '--quiet', '--depth', '1', `file://${repository.directory}`, byHand]);
    await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: byHand, env: ENVIRONMENT });
    await build(byHand);
  });
  const rounds = [];
  for (let round = 0; round < Number(changes); round++) {
    change(round);
    const { deploy, ms } = await pushAndWait(service, repository, 20);
    mkdirSync(join(byHand, file, '..'), { recursive: true });
    writeFileSync(join(byHand, file), readFileSync(path));
    rounds.push({ ours: ms, theirs: await timed(() => build(byHand)), phases: deploy.phase_ms });
  }
  const ours = rounds.map((round) => round.ours);
  const theirs = rounds.map((round) => round.theirs);
  const ratios = rounds.map((round) => round.ours / round.theirs);
  console.log(
    `## ${template}, ${changes} changes of a line; medians (range)\n\n| What | The service, push → ready | By ` +
      'hand | Ratio |\n|---|---|---|---|',
  );
  console.log(
    `| from nothing: install and build | ${inSeconds(cold.ms)} | ${inSeconds(coldByHand)} | ` +
      `${(cold.ms / coldByHand).toFixed(2)} |`,
  );
  console.log(
    `| after a change | ${spread(ours)} | ${spread(theirs)} | ${median(ratios).toFixed(2)} ` +
      `(${sorted(ratios)[0].toFixed(2)}–${sorted(ratios).at(-1).toFixed(2)}) |`,
  );
  console.log(
    `| after a change ÷ from nothing by hand | ${(median(ours) / coldByHand).toFixed(2)} | ` +
      `${(median(theirs) / coldByHand).toFixed(2)} | |`,
  );
  console.log(
    `\nPhases after a change, in ms: ${phasesOf(rounds.map(({ phases }) => phases))}; from nothing: ${Object.entries(
      cold.deploy.phase_ms,
    )
      .map(([phase, ms]) => `${phase} ${ms}`)
      .join(', ')}\n`,
  );
}

function phasesOf(all) {
  return Object.keys(all[0])
    .map((phase) => `${phase} ${median(all.map((phases) => phases[phase] ?? 0))}`)
    .join(', ');
}

function build(cwd) {
  return run('npm', ['run', 'build'], { cwd, env: ENVIRONMENT });
}

async function timed(work) {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

function inSeconds(ms) {
  return `${(ms / 1_000).toFixed(2)} s`;
}

function spread(values) {
  return `${inSeconds(median(values))} (${inSeconds(sorted(values)[0])}–${inSeconds(sorted(values).at(-1))})`;
}
