import type { Command } from 'commander';
import { Context } from '../context.js';

export function addProjectsDelete(projects: Command): void {
  projects
    .command('delete')
    .argument('<project>', 'id or slug of the project')
    .description('delete a project with its variables and deploys for good')
    .option('--yes', 'do not ask')
    .action(async (named: string, options: { yes?: true }, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const { id, name } = await service.projects.get(named);
      await context.confirm(`Delete ${name} (${id}) with its variables and deploys for good?`, options);
      await service.projects.delete(id);
      context.print({ id, deleted: true }, `${id} is deleted.`);
    });
}
