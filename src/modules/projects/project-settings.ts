/** What a project can be said to be built with; one that says nothing is looked at when it is deployed. */
export const FRAMEWORKS = [
  'nextjs',
  'expo',
  'astro',
  'nuxt',
  'react-router',
  'sveltekit',
  'vite',
  'node',
  'static',
] as const;
export type Framework = (typeof FRAMEWORKS)[number];

/** Release lines of Node that are maintained, or were until lately. */
export const NODE_VERSIONS = ['20', '22', '24'] as const;
export type NodeVersion = (typeof NODE_VERSIONS)[number];

/**
 * What an environment variable is for: deploys of the production branch, all other deploys, and work on a developer's
 * machine.
 */
export const ENV_TARGETS = ['production', 'preview', 'development'] as const;
export type EnvTarget = (typeof ENV_TARGETS)[number];

export const DEFAULT_BRANCH = 'main';

const MAX_PATH_LENGTH = 200;

/**
 * Whether it names a directory inside of a repository: plain names with `/` between them. A name that begins with `-`
 * could be taken for an option, and `.git` is not a part of what is deployed.
 */
export function isDirectory(text: string): boolean {
  if (text.length > MAX_PATH_LENGTH || text.startsWith('-') || /[\\\p{Cc}\p{Cs}]/u.test(text)) return false;
  return text.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part.toLowerCase() !== '.git');
}
