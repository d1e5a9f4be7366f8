import type { NewSpendingBudget } from '@service/client';
import { type Command, Option } from 'commander';
import { subjectOf } from '../budget-subject.js';
import { Context } from '../context.js';
import { UsageError } from '../failures.js';

type Window = NewSpendingBudget['window'];
const WINDOWS: readonly Window[] = ['day', 'month', 'total'];

export function addBudgetsSet(budgets: Command): void {
  budgets
    .command('set')
    .description('limit what an API key or a project may spend')
    .argument('<id>', 'id of the key or the project')
    .argument('<amount>', 'amount in US dollars, such as 25 or 0.50; 0 refuses all work that costs')
    .addOption(new Option('--window <window>', 'when the budget is reset (UTC)').choices(WINDOWS).default('month'))
    .action(async (id: string, amount: string, { window }: { window: Window }, command: Command) => {
      if (!/^\d{1,9}(\.\d{1,9})?$/.test(amount))
        throw new UsageError(`"${amount}" is not an amount. Pass US dollars, such as 25 or 0.50.`);
      const context = await Context.of(command);
      const budget = await (await context.service()).billing.setBudget(subjectOf(id), { window, limit: amount });
      const { subject, limit, spent, available } = budget;
      const per = window === 'total' ? 'in total' : `a ${window}`;
      context.print(budget, `${subject} may spend $${limit} ${per}: $${spent} are spent, $${available} available.`);
    });
}
