import type { Command } from 'commander';
import { Context } from '../context.js';

export function addBudgetsRemove(budgets: Command): void {
  budgets
    .command('rm')
    .description('remove the budget of an API key, so that only the limits of the organization hold')
    .argument('<key-id>', 'id of the key')
    .action(async (keyId: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      const subject = `key:${keyId}`;
      await (await context.service()).billing.deleteBudget(subject);
      context.print({ subject, removed: true }, `${subject} has no budget any more.`);
    });
}
