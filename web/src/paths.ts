/**
 * Every address of the web app. A name in a path is a parameter. Each has a screen in `screens.ts` and a row in
 * `test/web/screens.ts`, which a test requires.
 */
export const PATHS = {
  home: '/app',
  signIn: '/app/sign-in',
  signInSso: '/app/sign-in/sso',
  signedIn: '/app/sign-in/done',
  approveSignIn: '/app/sign-in/approve',
  signUp: '/app/sign-up',
  resetPassword: '/app/reset-password',
  verifyEmail: '/app/verify-email',
  confirmEmailChange: '/app/confirm-email-change',
  acceptInvitation: '/app/accept-invitation',
  account: '/app/account',
  security: '/app/account/security',
  newOrganization: '/app/account/new-organization',
  connectGithub: '/app/connect-github',
  operator: '/app/operator',
  operatorMoney: '/app/operator/money',
  operatorOrganizations: '/app/operator/organizations',
  operatorOrganization: '/app/operator/organizations/:id',
  projects: '/app/:org',
  keys: '/app/:org/keys',
  connectedApps: '/app/:org/connected-apps',
  mcp: '/app/:org/mcp',
  members: '/app/:org/members',
  audit: '/app/:org/audit',
  settings: '/app/:org/settings',
  sso: '/app/:org/sso',
  newSsoConnection: '/app/:org/sso/new',
  ssoConnection: '/app/:org/sso/:connection',
  usage: '/app/:org/usage',
  billing: '/app/:org/billing',
  invoice: '/app/:org/billing/:invoice',
  sandbox: '/app/:org/sandbox',
  sandboxSessions: '/app/:org/sandbox/sessions',
  sandboxSession: '/app/:org/sandbox/sessions/:session',
  aiModels: '/app/:org/ai',
  aiPlayground: '/app/:org/ai/playground',
  aiGenerations: '/app/:org/ai/generations',
  aiGeneration: '/app/:org/ai/generations/:generation',
  aiUsage: '/app/:org/ai/usage',
  aiBudgets: '/app/:org/ai/budgets',
  aiProviders: '/app/:org/ai/providers',
  aiPolicy: '/app/:org/ai/policy',
  agents: '/app/:org/agents',
  newAgent: '/app/:org/agents/new',
  agent: '/app/:org/agents/:agent',
  agentDefinition: '/app/:org/agents/:agent/definition',
  agentVersions: '/app/:org/agents/:agent/versions',
  agentMemory: '/app/:org/agents/:agent/memory',
  agentSecrets: '/app/:org/agents/:agent/secrets',
  agentSettings: '/app/:org/agents/:agent/settings',
  run: '/app/:org/runs/:run',
  approvals: '/app/:org/approvals',
  schedules: '/app/:org/schedules',
  schedule: '/app/:org/schedules/:schedule',
  swarms: '/app/:org/swarms',
  swarm: '/app/:org/swarms/:swarm',
  databases: '/app/:org/databases',
  database: '/app/:org/databases/:database',
  databaseTables: '/app/:org/databases/:database/tables',
  databaseQuery: '/app/:org/databases/:database/query',
  databaseCredentials: '/app/:org/databases/:database/credentials',
  databaseBackups: '/app/:org/databases/:database/backups',
  databaseBranches: '/app/:org/databases/:database/branches',
  databaseStats: '/app/:org/databases/:database/stats',
  buckets: '/app/:org/storage',
  storageKeys: '/app/:org/storage/access-keys',
  bucket: '/app/:org/storage/:bucket',
  bucketSettings: '/app/:org/storage/:bucket/settings',
  repositories: '/app/:org/repositories',
  repository: '/app/:org/repositories/:repository',
  webhooks: '/app/:org/webhooks',
  webhook: '/app/:org/webhooks/:endpoint',
  newProject: '/app/:org/projects/new',
  project: '/app/:org/projects/:project',
  projectLogs: '/app/:org/projects/:project/logs',
  projectMetrics: '/app/:org/projects/:project/metrics',
  projectCrons: '/app/:org/projects/:project/crons',
  projectAttached: '/app/:org/projects/:project/attached',
  projectSettings: '/app/:org/projects/:project/settings',
  projectBuild: '/app/:org/projects/:project/settings/build',
  projectVariables: '/app/:org/projects/:project/settings/variables',
  projectDomains: '/app/:org/projects/:project/settings/domains',
  projectProtection: '/app/:org/projects/:project/settings/protection',
  projectHooks: '/app/:org/projects/:project/settings/hooks',
  deploy: '/app/:org/projects/:project/deploys/:deploy',
} as const;

export type PathName = keyof typeof PATHS;

type NamesIn<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Name
    : never;

/** The parameters of an address; those of every address where the name is not known. */
export type ParamsOf<Name extends PathName> = Readonly<Record<NamesIn<(typeof PATHS)[Name]>, string>>;

export function pathTo<Name extends PathName>(name: Name, params: ParamsOf<Name>): string {
  return fill(PATHS[name], params);
}

export function fill(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
