import type { SpendCap } from '@service/client';
import type { Command } from 'commander';
import { Context } from '../context.js';
import { UsageError } from '../failures.js';

const NO_CAP = 'none';

export function addSpendCap(program: Command): void {
  program
    .command('spend-cap')
    .description('show or set the monthly spend cap: how much usage may be billed beyond the credits')
    .argument(
      '[amount]',
      `amount in US dollars, such as 100 or 12.50; 0 allows credits only, ${NO_CAP} removes the cap`,
    )
    .action(async (amount: string | undefined, _options: object, command: Command) => {
      const context = await Context.of(command);
      const { billing } = await context.service();
      const cap = amount === undefined ? await billing.spendCap() : await billing.setSpendCap(capOf(amount));
      context.print(cap, describe(cap));
    });
}

/** @throws {UsageError} */
function capOf(amount: string): string | null {
  if (amount === NO_CAP) return null;
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(amount))
    throw new UsageError(`"${amount}" is not an amount. Pass US dollars, such as 100 or 12.50, or "${NO_CAP}".`);
  return amount;
}

const describe = ({ amount, billed, month }: SpendCap): string =>
  amount === null
    ? `No spend cap; billed for ${month} so far: $${billed}`
    : `Billed for ${month} so far: $${billed} of at most $${amount}`;
