import type { Command } from 'commander';
import { Context } from '../context.js';
import { type ProjectOption, projectOf, withProject } from '../linked-project.js';

export function addRollback(program: Command): void {
  withProject(program.command('rollback'))
    .argument('[deploy-id]', 'deploy to return to (default: the one that was live before)')
    .description('roll production back to an earlier deploy, and pin it until the next promote')
    .action(async (id: string | undefined, options: ProjectOption, command: Command) => {
      const context = await Context.of(command);
      const deploy = await (await context.service()).projects.rollback(await projectOf(options), id);
      context.print(deploy, `${deploy.id} is live at ${deploy.aliases.join(' ')}`);
    });
}
