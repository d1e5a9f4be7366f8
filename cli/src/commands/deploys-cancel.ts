import type { Command } from 'commander';
import { Context } from '../context.js';

export function addDeploysCancel(deploys: Command): void {
  deploys
    .command('cancel')
    .argument('<deploy-id>', 'id of a deploy that is queued or running')
    .description('cancel a deploy')
    .action(async (id: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      const deploy = await (await context.service()).deploys.cancel(id);
      context.print(deploy, `${deploy.id} is ${deploy.state}.`);
    });
}
