import { posix } from 'node:path';

import { type Source } from '../frameworks/source.js';
import { type BuildPlan, SOURCE } from './plan-types.js';
import { hasPages } from './source-notes.js';

/** Files that tools read. They are never published, wherever a build leaves them, and whatever their case is. */
const FOR_TOOLS = ['_redirects', '_headers'];

/** Names that are never published from the root directory of a project. */
const NOT_FROM_ROOT = [
  ...FOR_TOOLS,
  'node_modules',
  'dockerfile',
  'docker-compose.yml',
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
  'tsconfig.json',
  'jsconfig.json',
  'vercel.json',
  'now.json',
  'netlify.toml',
  'composer.json',
  'composer.lock',
  'requirements.txt',
  'pyproject.toml',
  'server.js',
  'server.mjs',
  'server.cjs',
  'server.ts',
];
/** Directories for code. With pages in them, they are a part of the site. */
const CODE_DIRECTORIES = ['api', 'functions', 'netlify', 'server', 'supabase', 'prisma'];

/** The names, in lower case, that stay out of a directory that is published. */
export function exceptions(source: Source, isRoot: boolean): string[] {
  if (!isRoot) return FOR_TOOLS;
  return [...NOT_FROM_ROOT, ...CODE_DIRECTORIES.filter((directory) => !hasPages(source, directory))];
}

/**
 * True for a file that may be published. The program that collects the files applies the same rules; they are repeated
 * here because the directory that it found may be another one than was asked for.
 */
function isPublished(path: string, except: readonly string[]): boolean {
  const names = path.toLowerCase().split('/');
  // Expo exports the pictures and fonts of packages there.
  const isOfExpo = names[0] === 'assets' && names[1] === 'node_modules' && !except.includes('node_modules');
  return (
    !except.includes(names[0]!) &&
    names.every((name) => (!name.startsWith('.') || name === '.well-known') && (isOfExpo || name !== 'node_modules'))
  );
}

/** Selects the files of the output that are published. Servers need all of theirs, and publish by directory. */
export function publicFilter(plan: BuildPlan, output: string): (path: string) => boolean {
  const { pack } = plan;
  if (!pack.candidates.some(({ site }) => site)) return () => true;
  const at = posix.join(SOURCE, output);
  const holdsRoot = at === plan.root || plan.root.startsWith(`${at}/`);
  const except = holdsRoot ? plan.rootExceptions : FOR_TOOLS;
  return (path) => isPublished(path, except);
}
