import type { Command } from 'commander';
import { Context } from '../context.js';
import { logLineText } from '../deploy-text.js';
import { latestOf } from '../latest-deploy.js';
import { type ProjectOption, withProject } from '../linked-project.js';

export function addLogs(program: Command): void {
  withProject(program.command('logs'))
    .argument('[deploy-id]', 'deploy to show (default: the latest of the project)')
    .description('show the log of a deploy until it ends')
    .option('--no-follow', 'show only the lines so far')
    .action(
      async (id: string | undefined, { follow, ...options }: ProjectOption & { follow: boolean }, command: Command) => {
        const context = await Context.of(command);
        const service = await context.service();
        for await (const line of service.deploys.logs(id ?? (await latestOf(service, options)).id, { follow })) {
          process.stdout.write(`${context.json ? JSON.stringify(line) : logLineText(context.paint, line)}\n`);
        }
      },
    );
}
