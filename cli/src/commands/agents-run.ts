import { text } from 'node:stream/consumers';
import type { AgentRunRequest } from '@service/client';
import type { Command } from 'commander';
import { dollars, wholeNumber } from '../numbers.js';
import { Context } from '../context.js';
import { UsageError } from '../failures.js';
import { watchRun } from '../run-watch.js';

interface RunOptions {
  readonly maxCost?: string;
  readonly maxSteps?: number;
  readonly continue?: string;
  readonly inputJson?: true;
  readonly watch?: true;
}

export function addAgentsRun(agents: Command): void {
  agents
    .command('run')
    .argument('<agent>', 'id or slug of the agent')
    .argument('[input]', 'what it should do (default: from standard input)')
    .description('start a run of an agent and print its id; with --watch, show it and print its output')
    .option('--max-cost <usd>', 'the most that it may spend, such as 0.5', dollars)
    .option('--max-steps <number>', 'the most answers of the model', wholeNumber)
    .option('--continue <run-id>', 'continue the conversation of an earlier run')
    .option('--input-json', 'the input is a JSON object')
    .option('--watch', 'show what happens, ask for approvals, and exit with 0 if it succeeds and 1 if it does not')
    .action(async (agent: string, given: string | undefined, options: RunOptions, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const run = await service.agents.run(agent, requestOf(given ?? (await text(process.stdin)), options));
      if (options.watch !== true) {
        context.print(run, run.id);
        return;
      }
      context.note(context.notePaint.dim(run.id));
      await watchRun(context, service, run.id);
    });
}

function requestOf(given: string, options: RunOptions): AgentRunRequest {
  if (given.trim() === '') throw new UsageError('There is no input. Pass it as an argument or on standard input.');
  const { maxCost, maxSteps, continue: continues } = options;
  const budget = {
    ...(maxCost === undefined ? {} : { cost: maxCost }),
    ...(maxSteps === undefined ? {} : { steps: maxSteps }),
  };
  return {
    input: options.inputJson === true ? jsonIn(given) : given,
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
    ...(continues === undefined ? {} : { continues }),
  };
}

function jsonIn(given: string): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(given) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // The error below says the same.
  }
  throw new UsageError('The input is not a JSON object.');
}
