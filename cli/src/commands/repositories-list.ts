import type { Repository } from '@service/client';
import type { Command } from 'commander';
import { Context, tableOf } from '../context.js';

export function addRepositoriesList(repositories: Command): void {
  repositories
    .command('list')
    .description('list repositories')
    .action(async (_options: object, command: Command) => {
      const context = await Context.of(command);
      const all: Repository[] = [];
      for await (const repository of (await context.service()).repositories.list({ limit: 100 })) all.push(repository);
      context.print(
        all,
        tableOf(
          ['ID', 'NAME', 'TEMPLATE', 'URL'],
          all.map(({ id, name, template, repo_url }) => [id, name, template ?? '', repo_url]),
        ),
      );
    });
}
