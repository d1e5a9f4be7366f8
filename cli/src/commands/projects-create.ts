import type { Command } from 'commander';
import { Context } from '../context.js';

interface CreateOptions {
  readonly repo?: string;
}

export function addProjectsCreate(projects: Command): void {
  projects
    .command('create')
    .argument('<name>', 'name of the project')
    .description('create a project and print only its id to standard output')
    .option('--repo <url>', 'repository to deploy from')
    .action(async (name: string, { repo }: CreateOptions, command: Command) => {
      const context = await Context.of(command);
      const project = await (
        await context.service()
      ).projects.create({ name, ...(repo === undefined ? {} : { repo_url: repo }) });
      context.note(`Created ${project.name} (${project.slug}).`);
      context.print(project, project.id);
    });
}
