import type { Service, Swarm, SwarmTask } from '@service/client';
import { type Command, InvalidArgumentError } from 'commander';
import { Context, tableOf } from '../context.js';
import { EXIT } from '../failures.js';
import { dollars } from '../numbers.js';
import { shortened } from '../run-text.js';
import { printableLines } from '../terminal.js';

const SWARM = ['<swarm-id>', 'id of the swarm'] as const;
const POLL_MS = 2_000;

/** Adds the commands for swarms of agents. */
export function addSwarms(swarms: Command): void {
  addRun(swarms);
  addList(swarms);
  addGet(swarms);
  addWatch(swarms);
  addCancel(swarms);
}

interface Worker {
  readonly agent: string;
  readonly count: number;
}

interface RunOptions {
  readonly coordinator: string;
  readonly worker: Worker[];
  readonly maxCost: string;
  readonly name?: string;
  readonly watch?: true;
}

function addRun(swarms: Command): void {
  swarms
    .command('run')
    .argument('<goal>', 'what the swarm should reach')
    .description('start a swarm and print its id; with --watch, show its board and print its output')
    .requiredOption('--coordinator <agent>', 'agent that plans the tasks')
    .requiredOption('--worker <agent[=count]...>', 'agents that do the tasks, and how many runs of each', workerOf)
    .requiredOption('--max-cost <usd>', 'the most that the swarm may spend', dollars)
    .option('--name <name>', 'name of the swarm (default: the goal)')
    .option('--watch', 'show the board until the swarm ends')
    .action(async (goal: string, options: RunOptions, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const idOf = async (agent: string): Promise<string> => (await service.agents.get(agent)).id;
      const workers = [];
      for (const { agent, count } of options.worker) workers.push({ agent_id: await idOf(agent), count });
      const swarm = await service.swarms.create({
        name: options.name ?? goal.slice(0, 100),
        goal,
        coordinator: { agent_id: await idOf(options.coordinator) },
        workers,
        budget: { cost: options.maxCost },
      });
      if (options.watch === true) await watch(context, service, swarm.id);
      else context.print(swarm, swarm.id);
    });
}

function workerOf(text: string, before: Worker[] = []): Worker[] {
  const [agent = '', count = '1'] = text.split('=');
  if (!/^[1-9]\d{0,2}$/.test(count) || agent === '')
    throw new InvalidArgumentError('Pass an agent and how many runs of it, such as researcher=3.');
  return [...before, { agent, count: Number(count) }];
}

function addList(swarms: Command): void {
  swarms
    .command('list')
    .description('list swarms, newest first')
    .action(async (_options: object, command: Command) => {
      const context = await Context.of(command);
      const found: Swarm[] = [];
      for await (const swarm of (await context.service()).swarms.list({ limit: 100 })) {
        found.push(swarm);
        if (found.length === 100) break;
      }
      const rows = found.map(({ id, name, state, cost, tasks }) => [
        id,
        shortened(name),
        state,
        `$${cost}`,
        board(tasks),
      ]);
      context.print(found, tableOf(['ID', 'NAME', 'STATE', 'COST', 'TASKS'], rows));
    });
}

/** The states of tasks that there are, such as `2 open, 1 done`. */
const board = (tasks: Swarm['tasks']): string =>
  Object.entries(tasks)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');

function addGet(swarms: Command): void {
  swarms
    .command('get')
    .argument(...SWARM)
    .description('print a swarm with its tasks')
    .action(async (id: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const swarm = await service.swarms.get(id);
      const tasks: SwarmTask[] = [];
      for await (const task of service.swarms.tasks.list(id, { limit: 100 })) tasks.push(task);
      const rows = tasks.map(({ id: taskId, state, attempts, title }) => [
        taskId,
        state,
        String(attempts),
        shortened(title),
      ]);
      context.note(context.notePaint.dim(`${swarm.state} · $${swarm.cost} of $${swarm.budget.cost} · ${swarm.id}`));
      context.print({ ...swarm, board: tasks }, tableOf(['TASK', 'STATE', 'ATTEMPTS', 'TITLE'], rows));
    });
}

function addWatch(swarms: Command): void {
  swarms
    .command('watch')
    .argument(...SWARM)
    .description('show the board of a swarm until it ends; exit with 0 if it succeeds and 1 if it does not')
    .action(async (id: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      await watch(context, await context.service(), id);
    });
}

async function watch(context: Context, service: Service, id: string): Promise<void> {
  let shown = '';
  for (;;) {
    const swarm = await service.swarms.get(id);
    const line = `${swarm.state} · $${swarm.cost} · ${board(swarm.tasks)}`;
    if (line !== shown) context.note(line);
    shown = line;
    if (swarm.ended_at != null) {
      context.print(swarm, outputOf(swarm));
      if (swarm.state !== 'succeeded') process.exitCode = EXIT.otherError;
      return;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS);
    });
  }
}

function outputOf({ output, error, state }: Swarm): string {
  if (error != null) return printableLines(`${state}: ${error.code}: ${error.message}`);
  if (output == null) return state;
  return printableLines(typeof output === 'string' ? output : JSON.stringify(output, undefined, 2));
}

function addCancel(swarms: Command): void {
  swarms
    .command('cancel')
    .argument(...SWARM)
    .description('cancel a swarm with its tasks and runs')
    .action(async (id: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      const swarm = await (await context.service()).swarms.cancel(id);
      context.print(swarm, `${swarm.id} is ${swarm.state}.`);
    });
}
