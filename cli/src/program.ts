import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addDeploy } from './commands/deploy.js';
import { addExplain } from './commands/explain.js';
import { addKeysCreate } from './commands/keys-create.js';
import { addKeysList } from './commands/keys-list.js';
import { addKeysRevoke } from './commands/keys-revoke.js';
import { addKeysRotate } from './commands/keys-rotate.js';
import { addLink } from './commands/link.js';
import { addLogin } from './commands/login.js';
import { addLogout } from './commands/logout.js';
import { addLogs } from './commands/logs.js';
import { addOpen } from './commands/open.js';
import { addInvoices } from './commands/invoices.js';
import { addPlans } from './commands/plans.js';
import { addProjectsCreate } from './commands/projects-create.js';
import { addProjectsList } from './commands/projects-list.js';
import { addPromote } from './commands/promote.js';
import { addRepositoriesCreate } from './commands/repositories-create.js';
import { addRepositoriesDelete } from './commands/repositories-delete.js';
import { addRepositoriesList } from './commands/repositories-list.js';
import { addRollback } from './commands/rollback.js';
import { addSandboxRun } from './commands/sandbox-run.js';
import { addSpendCap } from './commands/spend-cap.js';
import { addUsage } from './commands/usage.js';
import { addWhoami } from './commands/whoami.js';

/** All commands. What they print is decided here and in them; nothing has run yet. */
export function createProgram(): Command {
  const program = new Command('service')
    .description('The command line of the service platform.')
    .version(version())
    .option('--json', 'print JSON, errors too')
    .option('--url <url>', 'where the service is (default: SERVICE_URL, else that of the last login)')
    .option('--org <id-or-slug>', 'the organization to work in (default: that of the key)')
    .showHelpAfterError('(--help shows how it is called)')
    .exitOverride();
  addLogin(program);
  addLogout(program);
  addWhoami(program);

  const keys = program.command('keys').description('API keys');
  addKeysList(keys);
  addKeysCreate(keys);
  addKeysRotate(keys);
  addKeysRevoke(keys);

  const repositories = program.command('repositories').description('git repositories of the service');
  addRepositoriesList(repositories);
  addRepositoriesCreate(repositories);
  addRepositoriesDelete(repositories);

  const projects = program.command('projects').description('what is deployed');
  addProjectsList(projects);
  addProjectsCreate(projects);
  for (const add of [addLink, addDeploy, addLogs, addPromote, addRollback, addOpen]) add(program);

  const sandbox = program.command('sandbox').description('run programs in isolation');
  addSandboxRun(sandbox);

  addPlans(program);
  addUsage(program);
  addSpendCap(program);
  addInvoices(program);
  addExplain(program);
  return program;
}

function version(): string {
  return (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version;
}
