import type { Approval } from '@service/client';
import { type Command, Option } from 'commander';
import { Context, tableOf } from '../context.js';
import { UsageError } from '../failures.js';
import { shortened, visibleJson } from '../run-text.js';
import { printable } from '../terminal.js';

const APPROVAL = ['<approval-id>', 'id of the approval'] as const;
const STATES: readonly Approval['state'][] = ['waiting', 'approved', 'denied', 'expired', 'used', 'void'];

/** Adds the commands for calls of tools that wait for a decision. */
export function addApprovals(approvals: Command): void {
  addList(approvals);
  addShow(approvals);
  addApprove(approvals);
  addDeny(approvals);
}

function addList(approvals: Command): void {
  approvals
    .command('list')
    .description('list calls of tools that wait for a decision')
    .addOption(new Option('--state <state>', 'approvals in this state').choices(STATES).default('waiting'))
    .option('--run <run-id>', 'only those of this run')
    .action(async ({ state, run }: { state: Approval['state']; run?: string }, command: Command) => {
      const context = await Context.of(command);
      const found: Approval[] = [];
      for await (const each of (await context.service()).approvals.list({ state, run_id: run, limit: 100 })) {
        found.push(each);
        if (found.length === 100) break;
      }
      const rows = found.map(({ id, tool, arguments: given, expires_at: at }) => [
        id,
        printable(tool),
        at,
        shortened(given).slice(0, 80),
      ]);
      context.print(found, tableOf(['ID', 'TOOL', 'EXPIRES', 'ARGUMENTS'], rows));
    });
}

function addShow(approvals: Command): void {
  approvals
    .command('show')
    .argument(...APPROVAL)
    .description('print the arguments that would be approved, exactly')
    .action(async (id: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      const approval = await (await context.service()).approvals.get(id);
      const { tool, state, reason, run_id: run, expires_at: at } = approval;
      context.note(context.notePaint.dim(`${printable(tool)} · ${state} · ${reason} · ${run} · until ${at}`));
      context.print(approval, visibleJson(approval.arguments));
    });
}

interface ApproveOptions {
  readonly arguments?: string;
  readonly note?: string;
}

function addApprove(approvals: Command): void {
  approvals
    .command('approve')
    .argument(...APPROVAL)
    .description('approve a call with exactly its arguments, or with others')
    .option('--arguments <json>', 'other arguments to call it with; the model is informed')
    .option('--note <text>', 'a note that the model reads')
    .action(async (id: string, { arguments: given, note }: ApproveOptions, command: Command) => {
      const context = await Context.of(command);
      const changed = given === undefined ? {} : { arguments: argumentsIn(given) };
      await decide(context, id, { decision: 'approve', ...changed, ...(note === undefined ? {} : { note }) });
    });
}

function addDeny(approvals: Command): void {
  approvals
    .command('deny')
    .argument(...APPROVAL)
    .description('deny a call; the model may try something else')
    .option('--note <text>', 'a reason that the model reads')
    .action(async (id: string, { note }: { note?: string }, command: Command) => {
      const context = await Context.of(command);
      await decide(context, id, { decision: 'deny', ...(note === undefined ? {} : { note }) });
    });
}

type Decision = Parameters<Awaited<ReturnType<Context['service']>>['approvals']['decide']>[1];

async function decide(context: Context, id: string, decision: Decision): Promise<void> {
  const approval = await (await context.service()).approvals.decide(id, decision);
  context.print(approval, `${printable(approval.tool)} of ${approval.run_id} is ${approval.state}.`);
}

function argumentsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // The error below says the same.
  }
  throw new UsageError('--arguments takes a JSON object.');
}
