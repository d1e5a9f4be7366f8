import type { Command } from 'commander';
import { Context } from '../context.js';
import { type ProjectOption, projectOf, withProject } from '../linked-project.js';

export function addDomainsRemove(domains: Command): void {
  withProject(domains.command('remove'))
    .argument('<domain>', 'name or id of the domain')
    .description('remove a domain, which is no longer served at once')
    .option('--yes', 'do not ask')
    .action(async (named: string, { yes, ...options }: ProjectOption & { yes?: true }, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const project = await projectOf(options);
      const { id, name, unicode_name: readable } = await service.domains.get(project, named);
      const question = `Stop serving ${readable} and remove it?`;
      await context.confirm(question, yes === undefined ? {} : { yes });
      await service.domains.delete(project, id);
      context.print({ id, name, removed: true }, `${readable} is removed.`);
    });
}
