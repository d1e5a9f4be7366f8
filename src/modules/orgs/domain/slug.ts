import { trimEnd } from '../../../platform/text/trim.js';

const MAX_LENGTH = 39;

/** Names that the service uses in paths and pages, or may use later. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'about',
  'abuse',
  'accept-invitation',
  'access',
  'account',
  'accounts',
  'admin',
  'administrator',
  'api',
  'app',
  'apps',
  'assets',
  'audit',
  'auth',
  'billing',
  'blog',
  'cdn',
  'cli',
  'connect-github',
  'console',
  'contact',
  'dashboard',
  'db',
  'deploy',
  'deploys',
  'dev',
  'docs',
  'domains',
  'email',
  'errors',
  'explore',
  'ftp',
  'git',
  'health',
  'help',
  'home',
  'host',
  'hostmaster',
  'id',
  'info',
  'internal',
  'invitations',
  'invite',
  'join',
  'keys',
  'legal',
  'limits',
  'localhost',
  'login',
  'logout',
  'mail',
  'me',
  'metrics',
  'new',
  'no-reply',
  'noreply',
  'ns',
  'null',
  'oauth',
  'operator',
  'ops',
  'org',
  'organization',
  'organizations',
  'orgs',
  'owner',
  'plans',
  'postmaster',
  'preview',
  'pricing',
  'privacy',
  'projects',
  'public',
  'ready',
  'register',
  'repositories',
  'reset-password',
  'root',
  'sandbox',
  'search',
  'secure',
  'security',
  'service',
  'session',
  'sessions',
  'settings',
  'shop',
  'sign-in',
  'sign-out',
  'sign-up',
  'signin',
  'signup',
  'smtp',
  'sso',
  'staff',
  'static',
  'status',
  'storage',
  'support',
  'sys',
  'system',
  'team',
  'teams',
  'templates',
  'terms',
  'test',
  'token',
  'undefined',
  'upload',
  'user',
  'username',
  'users',
  'v1',
  'verify',
  'verify-email',
  'web',
  'webhook',
  'webhooks',
  'webmaster',
  'www',
]);

/** Usernames and slugs share one namespace, and so one format: `a-z`, `0-9` and single hyphens between them. */
const SLUG_FORM = /^[a-z0-9](?:-?[a-z0-9])+$/;

export const isSlug = (text: string): boolean => text.length <= MAX_LENGTH && SLUG_FORM.test(text);

/**
 * Derives a slug from a name: `Café Zürich` becomes `cafe-zurich`. A reserved name, or a name without such letters,
 * gets a slug with a part of the id.
 */
export function slugOf(name: string, id: string): string {
  return plainSlugOf(name) ?? `org-${id.slice(-10)}`;
}

/** Returns names like one of a person, the best first. The last one is as random as the id. */
export function usernamesLike(name: string, id: string): string[] {
  const plain = plainSlugOf(name);
  const tail = id.slice(-10);
  if (plain === undefined) return [`user-${tail}`];
  const short = trimEnd(plain.slice(0, MAX_LENGTH - tail.length - 1), '-');
  return [plain, `${short}-2`, `${short}-3`, `${short}-${tail}`];
}

/** Undefined for a reserved name, and for one without letters and digits of ASCII. */
function plainSlugOf(name: string): string | undefined {
  const text = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const trimmed = text
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, MAX_LENGTH);
  const slug = trimEnd(trimmed, '-');
  return isSlug(slug) && !RESERVED_NAMES.has(slug) ? slug : undefined;
}
