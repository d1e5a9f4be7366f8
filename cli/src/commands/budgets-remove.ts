import type { Command } from 'commander';
import { subjectOf } from '../budget-subject.js';
import { Context } from '../context.js';

export function addBudgetsRemove(budgets: Command): void {
  budgets
    .command('rm')
    .description('remove the budget of an API key or a project, so that only the limits of the organization hold')
    .argument('<id>', 'id of the key or the project')
    .action(async (id: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      const subject = subjectOf(id);
      await (await context.service()).billing.deleteBudget(subject);
      context.print({ subject, removed: true }, `${subject} has no budget any more.`);
    });
}
