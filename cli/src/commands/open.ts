import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { Context } from '../context.js';
import { latestOf } from '../latest-deploy.js';
import { type ProjectOption, withProject } from '../linked-project.js';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', linux: 'xdg-open' };

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
      if (process.stdout.isTTY && !context.json) openInBrowser(url);
    });
}

/** Without a browser nothing happens, as the address was printed. Only http and https addresses are opened. */
function openInBrowser(url: string): void {
  const opener = OPENERS[process.platform];
  if (opener === undefined || !/^https?:\/\//.test(url)) return;
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
