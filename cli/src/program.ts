import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addAgents } from './commands/agents.js';
import { addAgentsMemory } from './commands/agents-memory.js';
import { addAgentsPush } from './commands/agents-push.js';
import { addAgentsRun } from './commands/agents-run.js';
import { addAgentsSecrets } from './commands/agents-secrets.js';
import { addAiChat } from './commands/ai-chat.js';
import { addAiGenerations } from './commands/ai-generations.js';
import { addAiModels } from './commands/ai-models.js';
import { addApprovals } from './commands/approvals.js';
import { addAuditLogExport } from './commands/audit-log-export.js';
import { addBudgetsList } from './commands/budgets-list.js';
import { addBudgetsRemove } from './commands/budgets-remove.js';
import { addBudgetsSet } from './commands/budgets-set.js';
import { addCompletion } from './commands/completion.js';
import { addDb } from './commands/db.js';
import { addDbAttach } from './commands/db-attach.js';
import { addDbCopies } from './commands/db-copies.js';
import { addDbCredentials } from './commands/db-credentials.js';
import { addDbQuery } from './commands/db-query.js';
import { addDbShell } from './commands/db-shell.js';
import { addDbTransfer } from './commands/db-transfer.js';
import { addDeploy } from './commands/deploy.js';
import { addDeploysCancel } from './commands/deploys-cancel.js';
import { addDeploysInspect } from './commands/deploys-inspect.js';
import { addDeploysList } from './commands/deploys-list.js';
import { addDomainsAdd } from './commands/domains-add.js';
import { addDomainsList } from './commands/domains-list.js';
import { addDomainsRemove } from './commands/domains-remove.js';
import { addDomainsVerify } from './commands/domains-verify.js';
import { addEnvList } from './commands/env-list.js';
import { addEnvPull } from './commands/env-pull.js';
import { addEnvRemove } from './commands/env-remove.js';
import { addEnvSet } from './commands/env-set.js';
import { addExplain } from './commands/explain.js';
import { addGrants } from './commands/grants.js';
import { addKeysCreate } from './commands/keys-create.js';
import { addKeysList } from './commands/keys-list.js';
import { addKeysRevoke } from './commands/keys-revoke.js';
import { addKeysRotate } from './commands/keys-rotate.js';
import { addLink } from './commands/link.js';
import { addLogin } from './commands/login.js';
import { addLogout } from './commands/logout.js';
import { addLogs } from './commands/logs.js';
import { addMcp } from './commands/mcp.js';
import { addOpen } from './commands/open.js';
import { addOrgsSettings } from './commands/orgs-settings.js';
import { addInvoices } from './commands/invoices.js';
import { addPlans } from './commands/plans.js';
import { addProjectsCreate } from './commands/projects-create.js';
import { addProjectsDelete } from './commands/projects-delete.js';
import { addProjectsGet } from './commands/projects-get.js';
import { addProjectsList } from './commands/projects-list.js';
import { addProjectsSettings } from './commands/projects-settings.js';
import { addPromote } from './commands/promote.js';
import { addRepositoriesCreate } from './commands/repositories-create.js';
import { addRepositoriesDelete } from './commands/repositories-delete.js';
import { addRepositoriesList } from './commands/repositories-list.js';
import { addRollback } from './commands/rollback.js';
import { addRuns } from './commands/runs.js';
import { addSandboxRepl } from './commands/sandbox-repl.js';
import { addSandboxRun } from './commands/sandbox-run.js';
import { addSandboxSession } from './commands/sandbox-session.js';
import { addSchedules } from './commands/schedules.js';
import { addSpendCap } from './commands/spend-cap.js';
import { addStorageAttach } from './commands/storage-attach.js';
import { addStorageBuckets } from './commands/storage-buckets.js';
import { addStorageCp } from './commands/storage-cp.js';
import { addStorageKeys } from './commands/storage-keys.js';
import { addStorageObjects } from './commands/storage-objects.js';
import { addSwarms } from './commands/swarms.js';
import { addUsage } from './commands/usage.js';
import { addWhoami } from './commands/whoami.js';

/** Registers all commands. Nothing runs before the program parses its arguments. */
export function createProgram(): Command {
  const program = new Command('service')
    .description('The command line of the service platform.')
    .version(version())
    .option('--json', 'print JSON, including errors')
    .option('--url <url>', 'address of the service (default: SERVICE_URL, or else the last login)')
    .option('--org <id-or-slug>', 'organization to work in (default: the one of the key)')
    .showHelpAfterError('Run with --help to see the usage.')
    .exitOverride();
  addLogin(program);
  addLogout(program);
  addWhoami(program);

  const keys = program.command('keys').description('manage API keys');
  addKeysList(keys);
  addKeysCreate(keys);
  addKeysRotate(keys);
  addKeysRevoke(keys);

  addOrgsSettings(program.command('orgs').description('manage the organization'));
  addAuditLogExport(program.command('audit-log').description('read what was done in the organization'));
  addGrants(program.command('grants').description('list and end the access of OAuth clients, such as MCP clients'));

  const repositories = program.command('repositories').description('manage git repositories of the service');
  addRepositoriesList(repositories);
  addRepositoriesCreate(repositories);
  addRepositoriesDelete(repositories);

  const projects = program.command('projects').description('manage projects');
  addProjectsList(projects);
  addProjectsCreate(projects);
  addProjectsGet(projects);
  addProjectsSettings(projects);
  addProjectsDelete(projects);

  const env = program.command('env').description('manage the environment variables of a project');
  addEnvList(env);
  addEnvSet(env);
  addEnvRemove(env);
  addEnvPull(env);

  const domains = program.command('domains').description('manage the domains of a project');
  addDomainsList(domains);
  addDomainsAdd(domains);
  addDomainsVerify(domains);
  addDomainsRemove(domains);

  const deploys = program.command('deploys').description('list, inspect and cancel deploys');
  addDeploysList(deploys);
  addDeploysInspect(deploys);
  addDeploysCancel(deploys);

  for (const add of [addLink, addDeploy, addLogs, addPromote, addRollback, addOpen]) add(program);

  const sandbox = program.command('sandbox').description('run programs in the sandbox');
  for (const add of [addSandboxRun, addSandboxSession, addSandboxRepl]) add(sandbox);

  const ai = program.command('ai').description('call models, and see what calls used and cost');
  addAiModels(ai);
  addAiChat(ai);
  addAiGenerations(ai);

  addAgentCommands(program);
  addDataCommands(program);
  addPlans(program);
  addUsage(program);
  addSpendCap(program);
  const budgets = program.command('budgets').description('limit what API keys may spend');
  addBudgetsList(budgets);
  addBudgetsSet(budgets);
  addBudgetsRemove(budgets);
  addInvoices(program);
  addExplain(program);
  addMcp(program);
  addCompletion(program);
  return program;
}

function addAgentCommands(program: Command): void {
  const agents = program.command('agents').description('manage agents, and start runs of them');
  addAgents(agents);
  addAgentsPush(agents);
  addAgentsRun(agents);
  addAgentsSecrets(agents);
  addAgentsMemory(agents);
  addRuns(program.command('runs').description('follow, answer and cancel runs of agents'));
  addApprovals(program.command('approvals').description('decide on calls of tools that wait for a person'));
  addSchedules(program.command('schedules').description('start runs of agents at certain times'));
  addSwarms(program.command('swarms').description('let several agents reach a goal'));
}

function addDataCommands(program: Command): void {
  const db = program.command('db').description('manage PostgreSQL databases, and run SQL');
  for (const add of [addDb, addDbCredentials, addDbQuery, addDbShell, addDbCopies, addDbAttach, addDbTransfer]) add(db);
  const storage = program.command('storage').description('manage files and media in buckets');
  addStorageBuckets(storage);
  addStorageObjects(storage);
  addStorageCp(storage);
  addStorageKeys(storage);
  addStorageAttach(storage);
}

function version(): string {
  return (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version;
}
