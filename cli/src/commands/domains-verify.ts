import type { Command } from 'commander';
import { Context } from '../context.js';
import { domainText } from '../domain-text.js';
import { EXIT } from '../failures.js';
import { type ProjectOption, projectOf, withProject } from '../linked-project.js';

export function addDomainsVerify(domains: Command): void {
  withProject(domains.command('verify'))
    .argument('<domain>', 'name or id of the domain')
    .description('check the DNS records of a domain now; exits with 1 if they are not all right')
    .action(async (name: string, options: ProjectOption, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const domain = await service.domains.verify(await projectOf(options), name);
      context.print(domain, domainText(context.paint, domain));
      if (domain.problem !== undefined) process.exitCode = EXIT.otherError;
    });
}
