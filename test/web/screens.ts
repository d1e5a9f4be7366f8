import type { PathName } from '../../web/src/paths.js';
import type { Site } from './support.js';

/** What the screens show: a person with one organization that has one of everything. */
export interface World extends Site {
  readonly org: string;
  readonly orgId: string;
  readonly invoice: string;
  readonly repository: string;
  readonly endpoint: string;
  readonly generation: string;
  readonly agent: string;
  readonly run: string;
  readonly schedule: string;
  readonly swarm: string;
  readonly session: string;
}

interface Row {
  /** What is visible when the screen is ready: the text of an element, or a selector. */
  readonly ready: string;
  readonly params?: (world: World) => Readonly<Record<string, string>>;
  /** What is behind the address, as with links in mails. */
  readonly after?: string;
  /** The screens of operators. */
  readonly operator?: boolean;
  /** The screens of people who have not signed in. */
  readonly signedOut?: boolean;
}

/** Every address of the app with what it takes to test its screen. */
export const SCREENS_UNDER_TEST: Readonly<Record<PathName, Row>> = {
  home: { ready: 'h1:has-text("Projects")' },
  signIn: { ready: 'button:has-text("Sign in")', signedOut: true },
  signInSso: { ready: 'button:has-text("Go on")', signedOut: true },
  signedIn: { ready: 'a:has-text("Go to the sign-in")', after: '?error=access_denied', signedOut: true },
  approveSignIn: { ready: 'a:has-text("Go to your projects")', after: '?flow=bsi_unknown' },
  signUp: { ready: 'button:has-text("Create the account")', signedOut: true },
  resetPassword: { ready: 'button:has-text("Change the password")', after: '#token=svc_mail_unknown', signedOut: true },
  verifyEmail: { ready: 'button:has-text("Send the link again")' },
  confirmEmailChange: {
    ready: 'button:has-text("Confirm the change")',
    after: '#token=svc_mail_unknown',
    signedOut: true,
  },
  acceptInvitation: { ready: 'button:has-text("Accept the invitation")', after: '#token=svc_inv_unknown' },
  account: { ready: 'td:has-text("This device")' },
  security: { ready: 'button:has-text("Add an authenticator app")' },
  newOrganization: { ready: 'button:has-text("Create the organization")' },
  connectGithub: {
    ready: 'button:has-text("Connect the account")',
    after: '#state=ghs_unknown&code=unknown&installation_id=1',
  },
  sandbox: { ready: '.cm-content', params: ({ org }) => ({ org }) },
  sandboxSessions: { ready: 'td:has-text("Analysis of stars")', params: ({ org }) => ({ org }) },
  sandboxSession: { ready: 'li:has-text("stars.csv")', params: ({ org, session }) => ({ org, session }) },
  aiModels: { ready: 'td:has-text("Offered")', params: ({ org }) => ({ org }) },
  aiPlayground: { ready: 'select[name=model]', params: ({ org }) => ({ org }) },
  aiGenerations: { ready: 'td:has-text("Succeeded")', params: ({ org }) => ({ org }) },
  aiGeneration: {
    ready: 'dd:has-text("The answer was complete")',
    params: ({ org, generation }) => ({ org, generation }),
  },
  aiUsage: { ready: 'figure canvas', params: ({ org }) => ({ org }) },
  aiBudgets: { ready: '[role=meter]', params: ({ org }) => ({ org }) },
  aiProviders: { ready: 'li:has-text("OpenRouter")', params: ({ org }) => ({ org }) },
  aiPolicy: { ready: 'form[aria-label=Policy]', params: ({ org }) => ({ org }) },
  agents: { ready: 'td:has-text("Succeeded")', params: ({ org }) => ({ org }) },
  newAgent: { ready: 'code:has-text("remember")', params: ({ org }) => ({ org }) },
  ...agentScreens({
    agent: 'td:has-text("Succeeded")',
    agentDefinition: 'button:has-text("Save a new version")',
    agentVersions: '[aria-label=Differences]',
    agentMemory: 'p:has-text("The shop ships on Mondays.")',
    agentSecrets: 'td:has-text("SHOP_TOKEN")',
    agentSettings: 'button:has-text("Delete the agent")',
  }),
  run: { ready: 'h2:has-text("Output")', params: ({ org, run }) => ({ org, run }) },
  approvals: { ready: 'button:has-text("Approve")', params: ({ org }) => ({ org }) },
  schedules: { ready: 'td:has-text("Active")', params: ({ org }) => ({ org }) },
  schedule: { ready: 'dd:has-text("Every day at 05:00")', params: ({ org, schedule }) => ({ org, schedule }) },
  swarms: { ready: 'th:has-text("Tasks done")', params: ({ org }) => ({ org }) },
  swarm: { ready: 'h3:has-text("Claimed")', params: ({ org, swarm }) => ({ org, swarm }) },
  databases: { ready: 'td:has-text("Active")', params: ({ org }) => ({ org }) },
  ...databaseScreens({
    database: 'td:has-text("DATABASE_URL")',
    databaseTables: 'td:has-text("Customer 1")',
    databaseQuery: '.cm-content',
    databaseCredentials: 'td:has-text("owner_k3")',
    databaseBackups: 'td:has-text("Complete")',
    databaseBranches: 'td:has-text("shop-try")',
    databaseStats: 'td:has-text("1,204")',
  }),
  buckets: { ready: 'td:has-text("photos")', params: ({ org }) => ({ org }) },
  storageKeys: { ready: 'td:has-text("Backups of the office")', params: ({ org }) => ({ org }) },
  bucket: { ready: 'td:has-text("readme.txt")', params: ({ org }) => ({ org, bucket: 'bkt_photos' }) },
  bucketSettings: { ready: 'td:has-text("STORAGE_…")', params: ({ org }) => ({ org, bucket: 'bkt_photos' }) },
  repositories: { ready: 'a:has-text("storefront")', params: ({ org }) => ({ org }) },
  repository: { ready: 'code:has-text("git clone")', params: ({ org, repository }) => ({ org, repository }) },
  webhooks: { ready: 'a:has-text("hooks.example.com")', params: ({ org }) => ({ org }) },
  webhook: { ready: 'td:has-text("webhook_endpoint.test")', params: ({ org, endpoint }) => ({ org, endpoint }) },
  operator: { ready: 'td:has-text("database")', operator: true },
  operatorMoney: { ready: 'button:has-text("Set the plan")', operator: true },
  operatorOrganizations: { ready: 'th:has-text("Organization")', operator: true },
  operatorOrganization: {
    ready: 'button:has-text("Mark as paid")',
    params: ({ orgId }) => ({ id: orgId }),
    operator: true,
  },
  keys: { ready: 'h1:has-text("API keys")', params: ({ org }) => ({ org }) },
  connectedApps: { ready: 'li:has-text("Read only")', params: ({ org }) => ({ org }) },
  mcp: { ready: 'h2:has-text("Codex CLI")', params: ({ org }) => ({ org }) },
  members: { ready: 'td:has-text("owner")', params: ({ org }) => ({ org }) },
  audit: { ready: 'td:has-text("project.created")', params: ({ org }) => ({ org }) },
  settings: { ready: 'button:has-text("Save")', params: ({ org }) => ({ org }) },
  sso: { ready: 'h2:has-text("Personal organizations have no SSO")', params: ({ org }) => ({ org }) },
  newSsoConnection: { ready: 'button:has-text("Keycloak")', params: ({ org }) => ({ org }) },
  // With content it is in the test of single sign-on, which has a provider.
  ssoConnection: {
    ready: 'h2:has-text("Not found")',
    params: ({ org }) => ({ org, connection: 'sso_00000000000000000000000000' }),
  },
  usage: { ready: 'figure canvas', params: ({ org }) => ({ org }) },
  billing: { ready: 'th:has-text("Number")', params: ({ org }) => ({ org }) },
  invoice: { ready: 'td:has-text("Plan builder")', params: ({ org, invoice }) => ({ org, invoice }) },
  newProject: { ready: 'label:has-text("Nothing yet")', params: ({ org }) => ({ org }) },
  projects: { ready: 'li:has-text("Ready")', params: ({ org }) => ({ org }) },
  project: { ready: 'td:has-text("Ready")', params: ({ org, project }) => ({ org, project }) },
  ...projectScreens({
    projectLogs: 'p:has-text("No lines yet")',
    projectMetrics: 'h2:has-text("Nothing was measured")',
    projectCrons: 'h2:has-text("No crons yet")',
    projectAttached: 'td:has-text("shop")',
    projectSettings: 'button:has-text("Save the name")',
    projectBuild: 'li:has-text("Build command")',
    projectVariables: 'h2:has-text("No variables yet")',
    projectDomains: 'h2:has-text("No domains yet")',
    projectProtection: 'button:has-text("Save")',
    projectHooks: 'h2:has-text("No hooks yet")',
  }),
  deploy: {
    ready: '[role=log] #L1',
    params: ({ org, project, deploy }) => ({ org, project, deploy }),
  },
};

function projectScreens<Name extends PathName>(ready: Readonly<Record<Name, string>>): Record<Name, Row> {
  const rows = Object.entries<string>(ready).map(([name, text]) => [
    name,
    { ready: text, params: ({ org, project }: World) => ({ org, project }) },
  ]);
  return Object.fromEntries(rows) as Record<Name, Row>;
}

function agentScreens<Name extends PathName>(ready: Readonly<Record<Name, string>>): Record<Name, Row> {
  const rows = Object.entries<string>(ready).map(([name, text]) => [
    name,
    { ready: text, params: ({ org, agent }: World) => ({ org, agent }) },
  ]);
  return Object.fromEntries(rows) as Record<Name, Row>;
}

/** The database of `ResourceAnswers`. */
function databaseScreens<Name extends PathName>(ready: Readonly<Record<Name, string>>): Record<Name, Row> {
  const rows = Object.entries<string>(ready).map(([name, text]) => [
    name,
    { ready: text, params: ({ org }: World) => ({ org, database: 'db_shop' }) },
  ]);
  return Object.fromEntries(rows) as Record<Name, Row>;
}
