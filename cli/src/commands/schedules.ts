import type { NewSchedule, Schedule, SchedulePreview, ScheduleTimes } from '@service/client';
import { type Command, Option } from 'commander';
import { Context, tableOf } from '../context.js';
import { UsageError } from '../failures.js';
import { dollars, wholeNumber } from '../numbers.js';
import { shortened } from '../run-text.js';

const SCHEDULE = ['<schedule-id>', 'id of the schedule'] as const;
const OVERLAPS: readonly Schedule['overlap'][] = ['skip', 'buffer_one', 'cancel_other', 'allow'];

/** Adds the commands for schedules that start runs of agents. */
export function addSchedules(schedules: Command): void {
  addList(schedules);
  addCreate(schedules);
  addPreview(schedules);
  addChange(schedules, 'pause', 'start no more runs');
  addChange(schedules, 'resume', 'let runs start again, from now on');
  addTrigger(schedules);
  addDelete(schedules);
}

function addList(schedules: Command): void {
  schedules
    .command('list')
    .description('list schedules with their next times')
    .action(async (_options: object, command: Command) => {
      const context = await Context.of(command);
      const all: Schedule[] = [];
      for await (const schedule of (await context.service()).schedules.list({ limit: 100 })) all.push(schedule);
      context.print(all, tableOf(['ID', 'NAME', 'TIMES', 'STATE', 'NEXT'], all.map(rowOf)));
    });
}

const rowOf = ({ id, name, state, paused_because: because, next_fires: next, ...times }: Schedule): string[] => [
  id,
  shortened(name),
  timesText(times),
  because == null ? state : `${state} (${because})`,
  next[0] ?? '',
];

const timesText = ({ cron, every_seconds: seconds, at }: ScheduleTimes): string =>
  cron ?? (seconds == null ? `at ${at ?? ''}` : `every ${seconds} s`);

interface TimeOptions {
  readonly cron?: string;
  readonly every?: number;
  readonly at?: string;
  readonly timeZone?: string;
}

const withTimes = (command: Command): Command =>
  command
    .option('--cron <expression>', 'five fields, such as "0 7 * * 1-5"')
    .option('--every <seconds>', 'every so many seconds', wholeNumber)
    .option('--at <time>', 'once, at this time (RFC 3339)')
    .option('--time-zone <zone>', 'zone of the cron expression, such as Europe/Berlin (default: UTC)');

/** @throws {UsageError} unless exactly one of the three is given. */
function timesOf({ cron, every, at, timeZone }: TimeOptions): ScheduleTimes & { readonly time_zone?: string } {
  if ([cron, every, at].filter((each) => each !== undefined).length !== 1)
    throw new UsageError('Pass one of --cron, --every and --at.');
  return {
    ...(cron === undefined ? {} : { cron }),
    ...(every === undefined ? {} : { every_seconds: every }),
    ...(at === undefined ? {} : { at }),
    ...(timeZone === undefined ? {} : { time_zone: timeZone }),
  };
}

interface CreateOptions extends TimeOptions {
  readonly name?: string;
  readonly overlap?: Schedule['overlap'];
  readonly maxCost?: string;
}

function addCreate(schedules: Command): void {
  withTimes(schedules.command('create'))
    .argument('<agent>', 'id or slug of the agent')
    .argument('<input>', 'what its runs should do')
    .description('start runs of an agent at the times of a schedule, and print its id')
    .option('--name <name>', 'name of the schedule (default: that of the agent)')
    .addOption(new Option('--overlap <rule>', 'what happens while an earlier run is active').choices(OVERLAPS))
    .option('--max-cost <usd>', 'the most that each run may spend', dollars)
    .action(async (named: string, input: string, options: CreateOptions, command: Command) => {
      const times = timesOf(options);
      const context = await Context.of(command);
      const service = await context.service();
      const agent = await service.agents.get(named);
      const { name = agent.name, overlap, maxCost } = options;
      const schedule: NewSchedule = {
        agent_id: agent.id,
        name,
        input,
        ...times,
        ...(overlap === undefined ? {} : { overlap }),
        ...(maxCost === undefined ? {} : { budget: { cost: maxCost } }),
      };
      const created = await service.schedules.create(schedule);
      context.note(`Next: ${created.next_fires.join(', ')}`);
      context.print(created, created.id);
    });
}

interface PreviewOptions extends TimeOptions {
  readonly count?: number;
}

function addPreview(schedules: Command): void {
  withTimes(schedules.command('preview'))
    .description('print the next times of a schedule without creating it')
    .option('--count <number>', 'how many times', wholeNumber)
    .action(async ({ count, ...options }: PreviewOptions, command: Command) => {
      const preview: SchedulePreview = { ...timesOf(options), ...(count === undefined ? {} : { count }) };
      const context = await Context.of(command);
      const previewed = await (await context.service()).schedules.preview(preview);
      context.print(previewed, previewed.times.join('\n'));
    });
}

function addChange(schedules: Command, name: 'pause' | 'resume', description: string): void {
  schedules
    .command(name)
    .argument(...SCHEDULE)
    .description(description)
    .action(async (id: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      const schedule = await (await context.service()).schedules[name](id);
      context.print(schedule, `${schedule.id} is ${schedule.state}.`);
    });
}

function addTrigger(schedules: Command): void {
  schedules
    .command('trigger')
    .argument(...SCHEDULE)
    .description('start a run of a schedule now, and print its id')
    .action(async (id: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      const fire = await (await context.service()).schedules.trigger(id);
      context.print(fire, fire.run_id ?? `${fire.state}: ${fire.reason ?? ''}`);
    });
}

function addDelete(schedules: Command): void {
  schedules
    .command('delete')
    .argument(...SCHEDULE)
    .description('delete a schedule; runs that have started continue')
    .option('--yes', 'do not ask')
    .action(async (id: string, options: { yes?: true }, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const { name } = await service.schedules.get(id);
      await context.confirm(`Delete ${shortened(name)} (${id}) for good?`, options);
      await service.schedules.delete(id);
      context.print({ id, deleted: true }, `${id} is deleted.`);
    });
}
