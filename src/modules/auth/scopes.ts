/** Permissions of keys, as `<resource>:<action>`. */
export const SCOPES = [
  'projects:read',
  'projects:write',
  'projects:delete',
  'deploys:read',
  'deploys:write',
  'deploys:production',
  'repositories:read',
  'repositories:write',
  'sandbox:execute',
  'agents:read',
  'agents:write',
  'agents:run',
  'ai:invoke',
  'storage:read',
  'storage:write',
  'databases:read',
  'databases:write',
  'databases:admin',
  'billing:read',
  'billing:write',
  'keys:read',
  'keys:write',
  'orgs:read',
  'orgs:write',
  'orgs:members',
  'audit:read',
] as const;

export type Scope = (typeof SCOPES)[number];

const RESOURCES = [...new Set(SCOPES.map((scope) => scope.split(':')[0]!))];

/** What a key can contain: a scope, all scopes of a resource (`projects:*`), or all scopes (`*`). */
export const SCOPE_PATTERNS: readonly string[] = [...SCOPES, ...RESOURCES.map((resource) => `${resource}:*`), '*'];

/** Returns the scopes that patterns stand for. An unknown pattern stands for none. */
export function scopesOf(patterns: readonly string[]): ReadonlySet<Scope> {
  return new Set(SCOPES.filter((scope) => patterns.some((pattern) => covers(pattern, scope))));
}

const covers = (pattern: string, scope: Scope): boolean =>
  pattern === '*' || pattern === scope || (pattern.endsWith(':*') && scope.startsWith(pattern.slice(0, -1)));

export const PRESETS = ['read_only', 'ci_deploy', 'agent', 'full'] as const;
export type Preset = (typeof PRESETS)[number];

/** Scopes for common purposes of keys. */
export const SCOPES_OF_PRESET: Readonly<Record<Preset, readonly string[]>> = {
  read_only: SCOPES.filter((scope) => scope.endsWith(':read')),
  ci_deploy: ['projects:read', 'repositories:read', 'deploys:read', 'deploys:write', 'deploys:production'],
  agent: [
    'projects:read',
    'projects:write',
    'repositories:*',
    'deploys:read',
    'deploys:write',
    'sandbox:execute',
    'agents:*',
    'ai:invoke',
    'storage:*',
    'databases:read',
    'databases:write',
  ],
  full: ['*'],
};
