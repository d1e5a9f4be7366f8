import type { Project } from '@service/client';
import type { Command } from 'commander';
import { Context, tableOf } from '../context.js';

export function addProjectsList(projects: Command): void {
  projects
    .command('list')
    .description('list projects')
    .action(async (_options: object, command: Command) => {
      const context = await Context.of(command);
      const all: Project[] = [];
      for await (const project of (await context.service()).projects.list({ limit: 100 })) all.push(project);
      context.print(
        all,
        tableOf(
          ['ID', 'SLUG', 'NAME', 'REPOSITORY'],
          all.map(({ id, slug, name, repo_url }) => [id, slug, name, repo_url ?? '']),
        ),
      );
    });
}
