/**
 * The supported frameworks, each with a preset in the module builds. A project without one has its framework detected
 * in each deploy.
 */
export const FRAMEWORKS = [
  'django',
  'nextjs',
  'expo',
  'nuxt',
  'react-router',
  'remix',
  'sveltekit',
  'solidstart',
  'tanstack-start',
  'astro',
  'qwik',
  'gatsby',
  'docusaurus',
  'vitepress',
  'vuepress',
  'hexo',
  'eleventy',
  'angular',
  'nestjs',
  'nitro',
  'create-react-app',
  'vue-cli',
  'storybook',
  'vite',
  'parcel',
  'rsbuild',
  'flask',
  'fastapi',
  'hono',
  'express',
  'fastify',
  'koa',
  'h3',
  'python',
  'node',
  'static',
  // It has no preset: the Dockerfile says how the project is built.
  'docker',
] as const;
export type Framework = (typeof FRAMEWORKS)[number];

/** Release lines of Node.js that are maintained, or were until recently. */
export const NODE_VERSIONS = ['20', '22', '24'] as const;
export type NodeVersion = (typeof NODE_VERSIONS)[number];

/**
 * What builds of a project may reach: package registries, or every public address. The latter is a feature of plans.
 */
export const BUILD_NETWORKS = ['registries', 'open'] as const;
export type BuildNetwork = (typeof BUILD_NETWORKS)[number];

/** How long the server of a deploy may take until it answers. */
export const START_TIMEOUT_MS = { min: 1_000, max: 120_000, default: 15_000 };

/** The path that the server of a deploy must answer before it goes live, unless the project has another one. */
export const DEFAULT_HEALTH_PATH = '/';

/** The targets of environment variables: deploys of the production branch, all other deploys, and local development. */
export const ENV_TARGETS = ['production', 'preview', 'development'] as const;
export type EnvTarget = (typeof ENV_TARGETS)[number];

export const DEFAULT_BRANCH = 'main';

const MAX_PATH_LENGTH = 200;

/**
 * True for a directory in a repository: plain names separated by `/`. A name that begins with `-` could be mistaken for
 * an option, and `.git` is never deployed.
 */
export function isDirectory(text: string): boolean {
  if (text.length > MAX_PATH_LENGTH || text.startsWith('-') || /[\\\p{Cc}\p{Cs}]/u.test(text)) return false;
  return text.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part.toLowerCase() !== '.git');
}

/** True for the path of an address, with a query if it has one. It is sent in a request as it is. */
export const isRequestPath = (text: string): boolean =>
  text.length <= MAX_PATH_LENGTH && /^\/(?!\/)[!-~]*$/.test(text) && !/[#\\]/.test(text);
