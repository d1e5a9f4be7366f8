import { trimEnd } from '../../../platform/text/trim.js';

const MAX_LENGTH = 39;

/** Names that paths and pages of ours have, or may come to have. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'about', 'abuse', 'access', 'account', 'accounts', 'admin', 'administrator', 'api', 'app', 'apps', 'assets', 'audit', 'auth', 'billing', 'blog', 'cdn',
  'cli', 'console', 'contact', 'dashboard', 'db', 'deploy', 'deploys', 'dev', 'docs', 'domains', 'email', 'errors', 'explore', 'ftp', 'git', 'health', 'help',
  'home', 'host', 'hostmaster', 'id', 'info', 'internal', 'invitations', 'invite', 'join', 'keys', 'legal', 'limits', 'localhost', 'login', 'logout', 'mail',
  'me', 'metrics', 'new', 'no-reply', 'noreply', 'ns', 'null', 'oauth', 'ops', 'org', 'organization', 'organizations', 'orgs', 'owner', 'plans', 'postmaster',
  'preview', 'pricing', 'privacy', 'projects', 'public', 'ready', 'register', 'repositories', 'root', 'sandbox', 'search', 'secure', 'security', 'service',
  'session', 'sessions', 'settings', 'shop', 'sign-in', 'sign-out', 'sign-up', 'signin', 'signup', 'smtp', 'sso', 'staff', 'static', 'status', 'storage',
  'support', 'sys', 'system', 'team', 'teams', 'templates', 'terms', 'test', 'token', 'undefined', 'upload', 'user', 'username', 'users', 'v1', 'verify',
  'web', 'webhook', 'webhooks', 'webmaster', 'www',
]);

/** `a-z`, `0-9` and single hyphens between them: the form of usernames and of slugs, which are one namespace. */
const SLUG_FORM = /^[a-z0-9](?:-?[a-z0-9])+$/;

export const isSlug = (text: string): boolean => text.length <= MAX_LENGTH && SLUG_FORM.test(text);

/** `Café Zürich` is `cafe-zurich`. A name that has no such letters, or a reserved one, gets a slug with a part of the id. */
export function slugOf(name: string, id: string): string {
  const text = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const begun = text.replace(/[^a-z0-9]+/g, '-').replace(/^-+/, '').slice(0, MAX_LENGTH);
  const slug = trimEnd(begun, '-');
  return isSlug(slug) && !RESERVED_NAMES.has(slug) ? slug : `org-${id.slice(-10)}`;
}
