import type { Command } from 'commander';
import { Context } from '../context.js';

export function addRepositoriesDelete(repositories: Command): void {
  repositories
    .command('delete')
    .argument('<repository-id>', 'id of the repository, see `repositories list`')
    .description('delete a repository and its contents for good')
    .action(async (id: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      await (await context.service()).repositories.delete(id);
      context.print({ id, deleted: true }, `${id} is deleted.`);
    });
}
