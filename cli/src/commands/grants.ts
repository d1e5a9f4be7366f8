import type { Grant, OrgGrant } from '@service/client';
import type { Command } from 'commander';
import { Context, tableOf } from '../context.js';
import { organizationOf } from '../organization.js';

const MEMBERS = 'the clients that members gave access to the organization; needs orgs:members';

interface Options {
  readonly members?: true;
}

/** Lists and ends what people granted to OAuth clients: the own grants, or those of the members of an organization. */
export function addGrants(grants: Command): void {
  grants
    .command('list')
    .description('list the clients that you gave access, such as assistants that are connected by MCP')
    .option('--members', MEMBERS)
    .action(async ({ members }: Options, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      if (members === true) {
        const all: OrgGrant[] = [];
        for await (const grant of service.orgs.grants(await organizationOf(context, service), { limit: 100 }))
          all.push(grant);
        const rows = all.map((grant) => [grant.id, grant.user.username, ...factsOf(grant)]);
        context.print(all, tableOf(['ID', 'MEMBER', ...TITLES], rows));
        return;
      }
      const all: Grant[] = [];
      for await (const grant of service.grants.list({ limit: 100 })) all.push(grant);
      context.print(
        all,
        tableOf(
          ['ID', ...TITLES],
          all.map((grant) => [grant.id, ...factsOf(grant)]),
        ),
      );
    });

  grants
    .command('end')
    .argument('<grant-id>')
    .description('end a grant for good: its client is refused at its next call')
    .option('--members', `end it for the organization alone: ${MEMBERS}`)
    .action(async (id: string, { members }: Options, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      if (members === true) await service.orgs.endGrant(await organizationOf(context, service), id);
      else await service.grants.end(id);
      context.print({ id, ended: true }, `${id} has ended.`);
    });
}

const TITLES = ['CLIENT', 'HOST', 'MAY', 'LAST USED'];

function factsOf({ client_name, client_host, redirect_host, scopes, last_used_at }: Grant | OrgGrant): string[] {
  const isReading = scopes.every((scope) => scope.endsWith(':read'));
  return [client_name, client_host ?? redirect_host, isReading ? 'read' : 'read and write', last_used_at ?? 'never'];
}
