import type { Forecast, Usage, UsageQuery } from '@service/client';
import type { Command } from 'commander';
import { Context, tableOf } from '../context.js';
import { UsageError } from '../failures.js';

type Group = NonNullable<UsageQuery['group_by']>[number];

const GROUPS: readonly Group[] = ['meter', 'model', 'project', 'day'];

interface UsageOptions {
  readonly from?: string;
  readonly to?: string;
  readonly by?: string;
}

export function addUsage(program: Command): void {
  program
    .command('usage')
    .description('show usage and its cost, and when calls and credits run out')
    .option('--from <day>', 'first day, such as 2026-11-01 (default: the first of the month)')
    .option('--to <day>', 'day after the last one (default: now)')
    .option('--by <groups>', `comma-separated list of what to group by besides the meter: ${GROUPS.join(', ')}`)
    .action(async ({ from, to, by }: UsageOptions, command: Command) => {
      const context = await Context.of(command);
      const { billing } = await context.service();
      const usage = await billing.usage({
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
        ...(by === undefined ? {} : { group_by: groupsOf(by) }),
      });
      const forecast = await billing.forecast();
      context.print(
        { usage: usage.data, cost: usage.meta.cost, forecast },
        `${describe(usage.data, usage.meta.cost)}\n\n${outlook(forecast)}`,
      );
    });
}

/** @throws {UsageError} */
function groupsOf(by: string): Group[] {
  return by.split(',').map((name) => {
    const group = GROUPS.find((each) => each === name.trim());
    if (group === undefined)
      throw new UsageError(`Usage cannot be grouped by "${name.trim()}". Use ${GROUPS.join(', ')}.`);
    return group;
  });
}

function describe(usage: readonly Usage[], cost: string): string {
  if (usage.length === 0) return 'Nothing was used.';
  const table = tableOf(
    ['METER', 'MODEL', 'PROJECT', 'DAY', 'QUANTITY', 'USD'],
    usage.map((line) => [
      line.meter,
      line.model ?? '',
      line.project_id ?? '',
      line.day ?? '',
      line.display_quantity,
      line.cost,
    ]),
  );
  return `${table}\n\nIn all: $${cost}`;
}

function outlook({ calls, credits, month }: Forecast): string {
  return [
    calls.limit === null
      ? 'Calls today: unlimited'
      : `Calls today: ${calls.used} of ${calls.limit}, ` +
        (calls.run_out_at === undefined ? 'enough' : `used up at ${calls.run_out_at}`),
    `Credits: $${credits.balance}, ` +
      (credits.run_out_at === undefined ? 'enough for years at this rate' : `used up at ${credits.run_out_at}`),
    `This month: $${month.cost} so far, about $${month.projected_cost} by the end`,
  ].join('\n');
}
