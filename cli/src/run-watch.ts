import {
  type AgentRun,
  type AgentRunDelta,
  type AgentRunEvent,
  type Approval,
  ConflictError,
  type Service,
} from '@service/client';
import type { Context } from './context.js';
import { EXIT } from './failures.js';
import { Prompt } from './prompt.js';
import { eventText, outputText, usageText, visibleJson } from './run-text.js';
import { printable, printableLines } from './terminal.js';

/**
 * Shows what happens in a run until it ends: progress goes to standard error and the output to standard output. On a
 * terminal it asks for decisions that the run waits for. Exits with 0 if the run succeeds and 1 if it does not.
 */
export async function watchRun(context: Context, service: Service, runId: string): Promise<void> {
  const watch = new Watch(context, service, runId);
  for await (const event of service.runs.events(runId)) await watch.show(event);
  const run = await service.runs.get(runId);
  context.note(context.notePaint.dim(usageText(run)));
  context.print(run, outputText(run));
  if (run.state !== 'succeeded') process.exitCode = EXIT.otherError;
}

class Watch {
  private isMidLine = false;

  constructor(
    private readonly context: Context,
    private readonly service: Service,
    private readonly runId: string,
  ) {}

  async show(event: AgentRunEvent | AgentRunDelta): Promise<void> {
    if (event.seq === undefined) this.write(event.data.text);
    else {
      this.endLine();
      const text = eventText(this.context.notePaint, event);
      if (text !== undefined) this.context.note(text);
      if (event.type === 'call.awaiting_approval') await this.askForApproval(String(event.data['approval_id']));
      if (event.type === 'run.waiting') await this.askForAnswer(String(event.data['waiting_for']));
    }
  }

  /** The text of the model as it is written is progress: the output of the run follows at its end. */
  private write(text: string): void {
    if (this.context.json || !process.stderr.isTTY) return;
    process.stderr.write(this.context.notePaint.dim(printableLines(text)));
    this.isMidLine = !text.endsWith('\n');
  }

  private endLine(): void {
    if (this.isMidLine) process.stderr.write('\n');
    this.isMidLine = false;
  }

  private get canAsk(): boolean {
    return process.stdin.isTTY && !this.context.json;
  }

  /** An approval of an earlier time may be decided already. */
  private async askForApproval(id: string): Promise<void> {
    const approval = await this.service.approvals.get(id);
    if (approval.state !== 'waiting') return;
    if (!this.canAsk) {
      this.context.note(`${approval.tool} waits for your decision: service approvals show ${id}`);
      return;
    }
    const decided = await decideAtTerminal(this.context, this.service, approval);
    if (decided !== undefined) this.context.note(`${decided.tool}: ${decided.state}`);
  }

  private async askForAnswer(waitingFor: string): Promise<void> {
    if (!['answer', 'budget', 'unknown_outcome'].includes(waitingFor)) return;
    const run = await this.service.runs.get(this.runId);
    if (run.state !== 'waiting' || run.waiting_for !== waitingFor) return;
    if (waitingFor === 'answer' && this.canAsk) await this.answer(run);
    else this.context.note(HINTS[waitingFor as keyof typeof HINTS].replace('RUN', this.runId));
  }

  private async answer({ id }: AgentRun): Promise<void> {
    for await (const step of this.service.runs.steps(id, { limit: 100 }))
      for (const call of step.tool_calls) {
        if (call.tool !== 'ask_person' || call.ended_at != null) continue;
        const { question } = call.arguments;
        const reply = await ask(`${printableLines(typeof question === 'string' ? question : 'Your answer?')}\n> `);
        await this.service.runs.answer(id, { content: answerOf(reply), call_id: call.id });
      }
  }
}

const HINTS = {
  answer: 'Answer with: service runs answer RUN "…"',
  budget: 'Raise the budget with: service runs resume RUN --max-cost <usd>',
  unknown_outcome: 'Say what happened: service runs settle RUN <call-id> happened|did_not_happen',
};

/** A question may ask for JSON by a schema. What is no JSON is text. */
export function answerOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/**
 * Shows the arguments exactly as they would be used, and asks. Resolves to undefined when the decision was taken
 * elsewhere in the meantime.
 */
async function decideAtTerminal(
  context: Context,
  service: Service,
  { id, tool, reason, arguments: given }: Approval,
): Promise<Approval | undefined> {
  context.note(`${context.notePaint.bold(printable(tool))} needs your approval (${reason}):`);
  context.note(visibleJson(given));
  const approved = /^y(es)?$/i.test((await ask('Approve exactly this? [y/N] ')).trim());
  const note = approved ? '' : (await ask('Why not? The model reads it (empty: no reason): ')).trim();
  try {
    return await service.approvals.decide(id, {
      decision: approved ? 'approve' : 'deny',
      ...(note === '' ? {} : { note }),
    });
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    context.note(error.message);
    return undefined;
  }
}

async function ask(question: string): Promise<string> {
  const prompt = new Prompt();
  try {
    return await prompt.ask(question);
  } finally {
    prompt.close();
  }
}
