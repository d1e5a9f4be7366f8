import type { AgentRun, AgentRunState } from '@service/client';
import { type Command, Option } from 'commander';
import { Context, tableOf } from '../context.js';
import { dollars, wholeNumber } from '../numbers.js';
import { outputText, shortened, usageText } from '../run-text.js';
import { answerOf, watchRun } from '../run-watch.js';
import { printableLines } from '../terminal.js';

const RUN = ['<run-id>', 'id of the run'] as const;
const STATES: readonly AgentRunState[] = [
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
];

/** Adds the commands for runs of agents. */
export function addRuns(runs: Command): void {
  addList(runs);
  addGet(runs);
  addWatch(runs);
  addTranscript(runs);
  addAnswer(runs);
  addSettle(runs);
  addResume(runs);
  addCancel(runs);
}

interface ListOptions {
  readonly agent?: string;
  readonly state?: AgentRunState;
  readonly limit: number;
}

function addList(runs: Command): void {
  runs
    .command('list')
    .description('list runs, newest first')
    .option('--agent <agent-id>', 'only runs of this agent')
    .addOption(new Option('--state <state>', 'only runs in this state').choices(STATES))
    .option('--limit <number>', 'how many to print', wholeNumber, 20)
    .action(async ({ agent, state, limit }: ListOptions, command: Command) => {
      const context = await Context.of(command);
      const found: AgentRun[] = [];
      const query = { agent_id: agent, state, limit: Math.min(limit, 100) };
      for await (const run of (await context.service()).runs.list(query)) {
        if (found.length < limit) found.push(run);
        else break;
      }
      context.print(found, tableOf(['ID', 'STATE', 'COST', 'CREATED', 'INPUT'], found.map(rowOf)));
    });
}

const rowOf = ({ id, state, waiting_for: reason, cost, created_at: at, input }: AgentRun): string[] => [
  id,
  reason == null ? state : `${state} (${reason})`,
  `$${cost}`,
  at,
  shortened(input).slice(0, 60),
];

function addGet(runs: Command): void {
  runs
    .command('get')
    .argument(...RUN)
    .description('print the state, the cost and the output of a run')
    .action(async (id: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      const run = await (await context.service()).runs.get(id);
      context.note(context.notePaint.dim(`${run.state} · ${usageText(run)}`));
      context.print(run, outputText(run));
    });
}

function addWatch(runs: Command): void {
  runs
    .command('watch')
    .argument(...RUN)
    .description('show a run until it ends, and ask for approvals; exit with 0 if it succeeds and 1 if it does not')
    .action(async (id: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      await watchRun(context, await context.service(), id);
    });
}

function addTranscript(runs: Command): void {
  runs
    .command('transcript')
    .argument(...RUN)
    .description('print all steps of a run as Markdown, with their costs')
    .action(async (id: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      const { runs: all } = await context.service();
      if (context.json) context.print(await all.transcript(id), '');
      else context.print(undefined, printableLines((await all.markdown(id)).trimEnd()));
    });
}

function addAnswer(runs: Command): void {
  runs
    .command('answer')
    .argument(...RUN)
    .argument('<answer>', 'text, or JSON')
    .description('answer the question that a run waits with, or send it a message')
    .option('--call <call-id>', 'the call that asked, if there are several')
    .action(async (id: string, answer: string, { call }: { call?: string }, command: Command) => {
      const context = await Context.of(command);
      const { runs: all } = await context.service();
      const callId = call ?? (await openQuestion(context, id));
      const content = answerOf(answer);
      const run = await all.answer(id, callId === undefined ? { content } : { content, call_id: callId });
      context.print(run, `${run.id} is ${run.state}.`);
    });
}

/** Returns the call that asks, or undefined when the run does not wait for an answer. */
async function openQuestion(context: Context, id: string): Promise<string | undefined> {
  const { runs } = await context.service();
  if ((await runs.get(id)).waiting_for !== 'answer') return undefined;
  for await (const { tool_calls: calls } of runs.steps(id, { limit: 100 })) {
    const asking = calls.find(({ tool, ended_at: endedAt }) => tool === 'ask_person' && endedAt == null);
    if (asking !== undefined) return asking.id;
  }
  return undefined;
}

function addSettle(runs: Command): void {
  runs
    .command('settle')
    .argument(...RUN)
    .argument('<call-id>', 'call whose outcome is unknown')
    .addArgument(runs.createArgument('<outcome>', 'what you found out').choices(['happened', 'did_not_happen']))
    .description('say whether an effect has happened whose outcome was lost')
    .option('--output <text>', 'what it returned')
    .action(async (id: string, callId: string, outcome: Outcome, { output }: SettleOptions, command: Command) => {
      const context = await Context.of(command);
      const said = { call_id: callId, outcome, ...(output === undefined ? {} : { output: answerOf(output) }) };
      const run = await (await context.service()).runs.settle(id, said);
      context.print(run, `${run.id} is ${run.state}.`);
    });
}

type Outcome = 'happened' | 'did_not_happen';
interface SettleOptions {
  readonly output?: string;
}

interface ResumeOptions {
  readonly maxCost?: string;
  readonly maxSteps?: number;
}

function addResume(runs: Command): void {
  runs
    .command('resume')
    .argument(...RUN)
    .description('let a run continue that waits for its budget')
    .option('--max-cost <usd>', 'the most that it may spend in all, such as 2.5', dollars)
    .option('--max-steps <number>', 'the most answers of the model in all', wholeNumber)
    .action(async (id: string, { maxCost, maxSteps }: ResumeOptions, command: Command) => {
      const context = await Context.of(command);
      const budget = {
        ...(maxCost === undefined ? {} : { cost: maxCost }),
        ...(maxSteps === undefined ? {} : { steps: maxSteps }),
      };
      const run = await (await context.service()).runs.resume(id, { budget });
      context.print(run, `${run.id} is ${run.state}.`);
    });
}

function addCancel(runs: Command): void {
  runs
    .command('cancel')
    .argument(...RUN)
    .description('cancel a run and all runs below it')
    .action(async (id: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      const run = await (await context.service()).runs.cancel(id);
      context.print(run, `${run.id} is ${run.state}.`);
    });
}
