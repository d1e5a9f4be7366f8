import type { Plan } from '@service/client';
import type { Command } from 'commander';
import { Context, tableOf } from '../context.js';

export function addPlans(program: Command): void {
  program
    .command('plans')
    .description('list the plans with their prices and limits; needs no key')
    .action(async (_options: object, command: Command) => {
      const context = await Context.of(command);
      const all: Plan[] = [];
      for await (const plan of context.serviceWith({ anonymous: true }).billing.plans()) all.push(plan);
      const header = ['PLAN', 'USD/MONTH', 'CALLS/DAY', 'PROJECTS', 'AGENTS', 'PRODUCTION', 'SUPPORT'];
      context.print(
        all,
        tableOf(
          header,
          all.map(({ id, price_usd_per_month: price, limits, features, support }) => [
            id,
            price ?? 'by contract',
            shown(limits.calls_per_day),
            shown(limits.projects),
            shown(limits.agents),
            features.production_deploys ? 'yes' : 'no',
            support,
          ]),
        ),
      );
    });
}

const shown = (limit: number | null): string => (limit === null ? 'unlimited' : String(limit));
