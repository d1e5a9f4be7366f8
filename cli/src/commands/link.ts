import type { Command } from 'commander';
import { Context } from '../context.js';
import { link } from '../linked-project.js';

interface LinkOptions {
  readonly repo?: string;
}

export function addLink(program: Command): void {
  program
    .command('link')
    .argument('<project>', 'id or slug of the project')
    .description('link this directory to a project')
    .option('--repo <url>', 'also link this repository to the project')
    .action(async (named: string, { repo }: LinkOptions, command: Command) => {
      const context = await Context.of(command);
      const { projects } = await context.service();
      const project = repo === undefined ? await projects.get(named) : await projects.update(named, { repo_url: repo });
      await link(project.id);
      context.print(
        project,
        `${project.name} (${project.id}), ` +
          (project.repo_url === undefined ? 'which has no repository yet' : `deployed from ${project.repo_url}`),
      );
    });
}
