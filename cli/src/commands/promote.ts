import type { Command } from 'commander';
import { Context } from '../context.js';

export function addPromote(program: Command): void {
  program
    .command('promote')
    .argument('<deploy-id>', 'id of a ready deploy')
    .description('promote a ready deploy to production, without a build')
    .action(async (id: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      const deploy = await (await context.service()).deploys.promote(id);
      context.print(deploy, `${deploy.id} is live at ${deploy.aliases.join(' ')}`);
    });
}
