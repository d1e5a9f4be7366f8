import type { ReactNode } from 'react';
import { type ParamsOf, PATHS, type PathName } from './paths';

/** What the file of a screen exports. */
interface ScreenModule<Name extends PathName> {
  readonly Screen: (params: ParamsOf<Name>) => ReactNode;
  /** Fetches what the screen shows first. It is called when a link to the screen is about to be used. */
  readonly prepare?: (params: ParamsOf<Name>) => void;
}

/** The screen of each address. Their code is loaded when it is needed. */
export const SCREENS: { readonly [Name in PathName]: () => Promise<ScreenModule<Name>> } = {
  home: () => import('./screens/entry/home'),
  signIn: () => import('./screens/entry/sign-in'),
  signInSso: () => import('./screens/entry/sign-in-sso'),
  signedIn: () => import('./screens/entry/signed-in'),
  approveSignIn: () => import('./screens/entry/approve-sign-in'),
  signUp: () => import('./screens/entry/sign-up'),
  resetPassword: () => import('./screens/entry/reset-password'),
  verifyEmail: () => import('./screens/entry/verify-email'),
  confirmEmailChange: () => import('./screens/entry/confirm-email-change'),
  acceptInvitation: () => import('./screens/entry/accept-invitation'),
  account: () => import('./screens/account/account'),
  security: () => import('./screens/account/security'),
  newOrganization: () => import('./screens/account/new-organization'),
  connectGithub: () => import('./screens/repositories/connect-github'),
  operator: () => import('./screens/operator/operator'),
  operatorMoney: () => import('./screens/operator/money'),
  operatorOrganizations: () => import('./screens/operator/organizations'),
  operatorOrganization: () => import('./screens/operator/organization'),
  keys: () => import('./screens/keys/keys'),
  connectedApps: () => import('./screens/keys/connected-apps'),
  mcp: () => import('./screens/mcp/mcp'),
  members: () => import('./screens/organization/members'),
  audit: () => import('./screens/organization/audit'),
  settings: () => import('./screens/organization/settings'),
  sso: () => import('./screens/sso/sso'),
  newSsoConnection: () => import('./screens/sso/new-connection'),
  ssoConnection: () => import('./screens/sso/connection'),
  usage: () => import('./screens/usage/usage'),
  billing: () => import('./screens/billing/billing'),
  invoice: () => import('./screens/billing/invoice'),
  sandbox: () => import('./screens/sandbox/sandbox'),
  sandboxSessions: () => import('./screens/sandbox/sessions'),
  sandboxSession: () => import('./screens/sandbox/session'),
  aiModels: () => import('./screens/ai/models'),
  aiPlayground: () => import('./screens/ai/playground'),
  aiGenerations: () => import('./screens/ai/generations'),
  aiGeneration: () => import('./screens/ai/generation'),
  aiUsage: () => import('./screens/ai/ai-usage'),
  aiBudgets: () => import('./screens/ai/budgets'),
  aiProviders: () => import('./screens/ai/providers'),
  aiPolicy: () => import('./screens/ai/policy'),
  agents: () => import('./screens/agents/agents'),
  newAgent: () => import('./screens/agents/new-agent'),
  agent: () => import('./screens/agents/agent'),
  agentDefinition: () => import('./screens/agents/agent-definition'),
  agentVersions: () => import('./screens/agents/agent-versions'),
  agentMemory: () => import('./screens/agents/agent-memory'),
  agentSecrets: () => import('./screens/agents/agent-secrets'),
  agentSettings: () => import('./screens/agents/agent-settings'),
  run: () => import('./screens/agents/run'),
  approvals: () => import('./screens/agents/approvals'),
  schedules: () => import('./screens/agents/schedules'),
  schedule: () => import('./screens/agents/schedule'),
  swarms: () => import('./screens/agents/swarms'),
  swarm: () => import('./screens/agents/swarm'),
  databases: () => import('./screens/databases/databases'),
  database: () => import('./screens/databases/database'),
  databaseTables: () => import('./screens/databases/tables'),
  databaseQuery: () => import('./screens/databases/query'),
  databaseCredentials: () => import('./screens/databases/credentials'),
  databaseBackups: () => import('./screens/databases/backups'),
  databaseBranches: () => import('./screens/databases/branches'),
  databaseStats: () => import('./screens/databases/stats'),
  buckets: () => import('./screens/storage/buckets'),
  storageKeys: () => import('./screens/storage/access-keys'),
  bucket: () => import('./screens/storage/bucket'),
  bucketSettings: () => import('./screens/storage/bucket-settings'),
  repositories: () => import('./screens/repositories/repositories'),
  repository: () => import('./screens/repositories/repository'),
  webhooks: () => import('./screens/webhooks/webhooks'),
  webhook: () => import('./screens/webhooks/webhook'),
  newProject: () => import('./screens/projects/new-project'),
  projects: () => import('./screens/projects/projects'),
  project: () => import('./screens/projects/project'),
  projectLogs: () => import('./screens/projects/logs'),
  projectMetrics: () => import('./screens/projects/metrics'),
  projectCrons: () => import('./screens/projects/crons'),
  projectAttached: () => import('./screens/projects/attached'),
  projectSettings: () => import('./screens/projects/settings/general'),
  projectBuild: () => import('./screens/projects/settings/build'),
  projectVariables: () => import('./screens/projects/settings/variables'),
  projectDomains: () => import('./screens/projects/settings/domains'),
  projectProtection: () => import('./screens/projects/settings/protection'),
  projectHooks: () => import('./screens/projects/settings/hooks'),
  deploy: () => import('./screens/projects/deploy'),
};

/** Screens that stand alone, for people who have not signed in. All others are inside the shell. */
export const OUTSIDE_SHELL: ReadonlySet<PathName> = new Set<PathName>([
  'home',
  'signIn',
  'signInSso',
  'signedIn',
  'approveSignIn',
  'signUp',
  'resetPassword',
  'verifyEmail',
  'confirmEmailChange',
  'acceptInvitation',
  'connectGithub',
]);

/** Fetches the code and the data of a screen, before a click on a link to it. */
export function prepareScreen(name: PathName, params: ParamsOf<PathName>): void {
  SCREENS[name]().then(
    ({ prepare }) => prepare?.(params),
    // The click will try again, and report it.
    () => undefined,
  );
}

/** Fetches the code of the screen at an address, so that it arrives while the app asks who calls. */
export function fetchScreenAt(path: string): void {
  const name = (Object.keys(PATHS) as PathName[]).find((each) => isAt(PATHS[each], path));
  // The screen itself will try again, and report it.
  if (name !== undefined) SCREENS[name]().catch(() => undefined);
}

function isAt(pattern: string, path: string): boolean {
  const [wanted, parts] = [pattern, path].map((each) => each.split('/'));
  return wanted!.length === parts!.length && wanted!.every((part, at) => part.startsWith(':') || part === parts![at]);
}
