import { type RefusedMode } from './preset.js';
import { type Source } from './source.js';

/** What is found in a source that runs on another host only. */
interface OtherHost {
  readonly title: string;
  readonly file: string;
}

const FILES: readonly (readonly [file: RegExp, title: string])[] = [
  [/^serverless\.(?:ya?ml|json|[cm]?[jt]s)$/, 'functions of the Serverless Framework'],
  [/^sst\.config\.[cm]?[jt]s$/, 'functions of SST'],
  [/^samconfig\.toml$/, 'functions for AWS'],
  [/^host\.json$/, 'functions for Azure'],
  [/^cdk\.json$/, 'a project of the AWS CDK'],
  [/^fastly\.toml$/, 'a program for Fastly Compute'],
];
const CONFIGS_OF_WORKERS = ['wrangler.json', 'wrangler.jsonc', 'wrangler.toml'];
/** Without a program, such a file names only the pages of a site. */
const PROGRAM_OF_WORKER = /^\s{0,20}"?main"?\s{0,8}[:=]\s{0,8}["'][^"'\n]{1,200}["']/m;

/** Starters for Lambda have no file that names it, only scripts. */
const SCRIPTS_OF_DEPLOYS = ['deploy', 'update', 'publish'];
const DEPLOYS_LAMBDA = /\baws lambda (?:create-function|update-function-code)\b/;

export const isForLambda = (source: Source): boolean =>
  SCRIPTS_OF_DEPLOYS.some((name) => DEPLOYS_LAMBDA.test((source.script(name) ?? '').slice(0, 2_000)));

/** Names what was found of another host, or null. */
export function otherHostOf(source: Source): OtherHost | null {
  for (const [pattern, title] of FILES) {
    const file = source.entries.find((name) => pattern.test(name));
    if (file !== undefined) return { title, file };
  }
  if (isForLambda(source)) return { title: 'a function for AWS Lambda', file: 'package.json' };
  const worker = CONFIGS_OF_WORKERS.find(
    (name) => PROGRAM_OF_WORKER.test(source.text(name)) || (source.has(name) && namesProgram(source)),
  );
  return worker === undefined ? null : { title: 'a Worker of Cloudflare', file: worker };
}

/** The program of a Worker may be named where it is run. */
const namesProgram = (source: Source): boolean =>
  ['dev', 'start', 'deploy'].some((name) =>
    /\bwrangler (?:dev|deploy|publish)\b[^&;]{0,200}\.[cm]?[jt]sx?\b/.test((source.script(name) ?? '').slice(0, 2_000)),
  );

/** The sentences about a source for another host. */
export const refusalOf = ({ title, file }: OtherHost): string =>
  `Found ${title} in ${file}, made for another host. Expected is a site, or a server for Node.js or Python. ` +
  'Set the start command of the project to one that starts a server.';

/** Refuses sources that fit `when` and are for another host. */
export const forAnotherHost = (when: (source: Source) => boolean): RefusedMode => ({
  kind: 'refused',
  condition: 'with functions or a Worker for another host',
  when: (source) => when(source) && otherHostOf(source) !== null,
  code: 'framework_not_found',
  message: (source) => refusalOf(otherHostOf(source)!),
});

const PLUGIN = '@cloudflare/vite-plugin';

/** Vite leaves the pages in one directory, and the code of a Worker in others. */
export const buildsWorker = (source: Source): boolean => source.uses(PLUGIN);

/** A framework whose server is built for Workers. */
export const BUILT_FOR_WORKERS: RefusedMode = {
  kind: 'refused',
  condition: `with \`${PLUGIN}\``,
  when: (source) => source.uses(PLUGIN) && source.config('vite.config').includes(PLUGIN),
  code: 'output_not_found',
  message: () =>
    `vite.config has ${PLUGIN}, so that the build leaves a Worker of Cloudflare. Expected is a server for Node.js. ` +
    'Remove the plugin from vite.config and packages that are for Workers only.',
};
