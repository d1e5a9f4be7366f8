import type { Command } from 'commander';
import { Context } from '../context.js';

interface CreateOptions {
  readonly repo?: string;
}

export function addProjectsCreate(projects: Command): void {
  projects
    .command('create')
    .argument('<name>', 'what it is called')
    .description('create a project; its id is printed alone on standard output')
    .option('--repo <url>', 'the repository that it is deployed from')
    .action(async (name: string, { repo }: CreateOptions, command: Command) => {
      const context = await Context.of(command);
      const project = await (
        await context.service()
      ).projects.create({ name, ...(repo === undefined ? {} : { repo_url: repo }) });
      context.note(`Created ${project.name} (${project.slug}).`);
      context.print(project, project.id);
    });
}
