import type { Command } from 'commander';
import { Context } from '../context.js';

export function addRepositoriesDelete(repositories: Command): void {
  repositories
    .command('delete')
    .argument('<repository-id>', 'as `repositories list` shows it')
    .description('delete a repository for good, with all that is in it')
    .action(async (id: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      await (await context.service()).repositories.delete(id);
      context.print({ id, deleted: true }, `${id} is deleted.`);
    });
}
