const VERBS: Readonly<Record<string, string>> = {
  read: 'Read',
  write: 'Change',
  delete: 'Delete',
  execute: 'Run code in the',
  run: 'Run',
  invoke: 'Call',
  production: 'Change production by',
  members: 'Manage members of',
  admin: 'Administer',
  '*': 'Everything with',
};

const THINGS: Readonly<Record<string, string>> = {
  ai: 'models',
  keys: 'API keys',
  orgs: 'organizations',
  audit: 'the audit log',
};

/** What scopes allow in words, one line for each verb, such as `Read deploys, projects`. */
export function wordsOf(scopes: readonly string[]): string[] {
  if (scopes.includes('*')) return ['Everything that you may'];
  const things = new Map<string, string[]>();
  for (const scope of scopes) {
    const [thing = '', action = ''] = scope.split(':');
    const verb = VERBS[action] ?? action;
    things.set(verb, [...(things.get(verb) ?? []), THINGS[thing] ?? thing]);
  }
  return [...things].map(([verb, each]) => `${verb} ${each.join(', ')}`);
}

/** True where nothing is changed, run or paid for. */
export const isReadOnly = (scopes: readonly string[]): boolean => scopes.every((scope) => scope.endsWith(':read'));
