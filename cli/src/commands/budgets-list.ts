import type { SpendingBudget } from '@service/client';
import type { Command } from 'commander';
import { Context, tableOf } from '../context.js';

export function addBudgetsList(budgets: Command): void {
  budgets
    .command('list')
    .description('list the budgets of API keys and projects, with what is spent and held')
    .action(async (_options: object, command: Command) => {
      const context = await Context.of(command);
      const all: SpendingBudget[] = [];
      for await (const budget of (await context.service()).billing.budgets({ limit: 100 })) all.push(budget);
      const header = ['SUBJECT', 'WINDOW', 'LIMIT', 'SPENT', 'HELD', 'AVAILABLE', 'RESET'];
      context.print(all, tableOf(header, all.map(rowOf)));
    });
}

const rowOf = ({ subject, window, limit, spent, held, available, resets_at }: SpendingBudget): string[] => [
  subject,
  window,
  `$${limit}`,
  `$${spent}`,
  `$${held}`,
  `$${available}`,
  resets_at ?? 'never',
];
