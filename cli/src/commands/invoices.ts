import type { ListedInvoice, UpcomingInvoice } from '@service/client';
import type { Command } from 'commander';
import { Context, tableOf } from '../context.js';

export function addInvoices(program: Command): void {
  program
    .command('invoices')
    .description('list the invoices, newest first, and the total of this month so far')
    .action(async (_options: object, command: Command) => {
      const context = await Context.of(command);
      const { billing } = await context.service();
      const upcoming = await billing.upcomingInvoice();
      const invoices: ListedInvoice[] = [];
      for await (const invoice of billing.invoices()) invoices.push(invoice);
      context.print({ upcoming, invoices }, `${soFar(upcoming)}\n\n${describe(invoices)}`);
    });
}

const soFar = ({ period, total }: UpcomingInvoice): string => `${period.from.slice(0, 7)}, so far: $${total}`;

const describe = (invoices: readonly ListedInvoice[]): string =>
  invoices.length === 0
    ? 'There are no invoices yet.'
    : tableOf(
        ['NUMBER', 'MONTH', 'STATE', 'USD', 'DUE'],
        invoices.map(({ number, period, state, total, due_at: due }) => [
          number,
          period.from.slice(0, 7),
          state,
          total,
          due.slice(0, 10),
        ]),
      );
