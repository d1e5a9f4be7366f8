import type { Command } from 'commander';
import { Context } from '../context.js';
import { PROJECT_ARGUMENT, projectOf } from '../linked-project.js';
import { projectText } from '../project-settings.js';

export function addProjectsGet(projects: Command): void {
  projects
    .command('get')
    .argument('[project]', PROJECT_ARGUMENT)
    .description('print a project and its settings')
    .action(async (named: string | undefined, _options: object, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const project = await service.projects.get(await projectOf(named === undefined ? {} : { project: named }));
      const { id, slug, org_id, created_at } = project;
      const facts = [
        ['id', id],
        ['slug', slug],
        ['org', org_id],
        ['created', created_at],
      ] as const;
      context.print(project, projectText(context.paint, facts, project));
    });
}
