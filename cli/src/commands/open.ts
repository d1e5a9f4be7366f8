import type { Command } from 'commander';
import { openInBrowser } from '../browser.js';
import { Context } from '../context.js';
import { latestOf } from '../latest-deploy.js';
import { type ProjectOption, withProject } from '../linked-project.js';

export function addOpen(program: Command): void {
  withProject(program.command('open'))
    .argument('[deploy-id]', 'deploy to open (default: the latest ready one of the project)')
    .description('print the address of a deploy, and open it in the browser when run in a terminal')
    .action(async (id: string | undefined, options: ProjectOption, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const deploy = id === undefined ? await latestOf(service, options, 'ready') : await service.deploys.get(id);
      const url = deploy.aliases[0] ?? deploy.url;
      context.print({ url }, url);
      if (process.stdout.isTTY && !context.json) openInBrowser(url, context.browser);
    });
}
