import type { Domain } from '@service/client';
import type { Command } from 'commander';
import { Context, tableOf } from '../context.js';
import { paintedState } from '../domain-text.js';
import { type ProjectOption, projectOf, withProject } from '../linked-project.js';

export function addDomainsList(domains: Command): void {
  withProject(domains.command('list'))
    .description('list the domains of a project, newest first')
    .action(async (options: ProjectOption, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const all: Domain[] = [];
      for await (const domain of service.domains.list(await projectOf(options), { limit: 100 })) all.push(domain);
      context.print(
        all,
        tableOf(
          ['NAME', 'STATE', 'REDIRECTS TO', 'ADDED', 'PROBLEM'],
          all.map((domain) => [
            domain.unicode_name,
            paintedState(context.paint, domain),
            domain.redirect_to ?? '',
            domain.created_at,
            domain.problem?.message ?? '',
          ]),
        ),
      );
    });
}
