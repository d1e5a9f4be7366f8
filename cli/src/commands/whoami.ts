import type { WhoCalls } from '@service/client';
import type { Command } from 'commander';
import { Context } from '../context.js';

export function addWhoami(program: Command): void {
  program
    .command('whoami')
    .description('show who you are, and the organization')
    .action(async (_options: object, command: Command) => {
      const context = await Context.of(command);
      const me = await (await context.service()).me.get();
      context.print(me, describe(me, context.url));
    });
}

function describe({ user, organization, credential: { key } }: WhoCalls, url: string): string {
  return [
    `${user.username} <${user.email}>`,
    `Organization: ${organization.name} (${organization.slug}), plan ${organization.plan}, role ${organization.role}`,
    ...(key === undefined ? [] : [`Key: ${key.name} (${key.id}, ends in ${key.last4})`]),
    `Service: ${url}`,
  ].join('\n');
}
