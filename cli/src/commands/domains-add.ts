import type { Command } from 'commander';
import { Context } from '../context.js';
import { domainText } from '../domain-text.js';
import { type ProjectOption, projectOf, withProject } from '../linked-project.js';

interface AddOptions extends ProjectOption {
  readonly redirectTo?: string;
  readonly www?: true;
  readonly httpsRedirect: boolean;
  readonly hsts?: true;
}

export function addDomainsAdd(domains: Command): void {
  withProject(domains.command('add'))
    .argument('<domain>', 'the domain, such as shop.example.com')
    .description('add a domain to a project and print the DNS records to set')
    .option('--redirect-to <domain>', 'send its visitors to another domain of the project')
    .option('--www', 'also add the domain with www. before it, as a redirect to it')
    .option('--no-https-redirect', 'do not send visitors from http to https')
    .option('--hsts', 'tell browsers to use only https for a year')
    .action(async (name: string, options: AddOptions, command: Command) => {
      const { redirectTo, www = false, httpsRedirect, hsts = false } = options;
      const context = await Context.of(command);
      const service = await context.service();
      const domain = await service.domains.create(await projectOf(options), {
        name,
        ...(redirectTo === undefined ? {} : { redirect_to: redirectTo }),
        www_redirect: www,
        https_redirect: httpsRedirect,
        hsts,
      });
      context.print(domain, domainText(context.paint, domain));
      context.note(
        `Set these records at your DNS provider, then run "service domains verify ${domain.name}". ` +
          'The service also checks them by itself.' +
          (www ? ` For the records of www.${domain.name}, run "service domains verify www.${domain.name}".` : ''),
      );
    });
}
