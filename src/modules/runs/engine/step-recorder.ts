import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import type { ModelAnswer } from '../../ai/model-answers.service.js';
import { ApprovalRequests } from '../approvals/approval-requests.js';
import type { NewRunEvent } from '../domain/run-events.js';
import type { RunStep, StepKind } from '../domain/run.js';
import type { RunToolCall } from '../domain/tool-call-state.js';
import { RunStepsStore } from '../persistence/run-steps.store.js';
import { RunToolCallsStore } from '../persistence/run-tool-calls.store.js';
import { RunWritesStore } from '../persistence/run-writes.store.js';
import { CallProposals } from './call-proposals.js';
import type { ActiveRun } from './held-run.js';

interface AnsweredStep {
  readonly seq: number;
  readonly asks: number;
  readonly kind: StepKind;
  readonly answer: ModelAnswer;
}

/** Commits an answer with its calls of tools, what policy says of them, its events and its cost: all or nothing. */
@Injectable()
export class StepRecorder {
  constructor(
    private readonly database: Database,
    private readonly writes: RunWritesStore,
    private readonly steps: RunStepsStore,
    private readonly calls: RunToolCallsStore,
    private readonly approvals: ApprovalRequests,
    private readonly proposals: CallProposals,
    private readonly clock: Clock,
  ) {}

  async record(active: ActiveRun, answered: AnsweredStep): Promise<void> {
    const { run } = active;
    const step = this.stepOf(active, answered);
    const calls = step.kind === 'summary' ? [] : this.proposals.of(active, step.seq, answered.answer);
    await this.database.transaction(async () => {
      const change = { addedSteps: 1, addedActiveMs: active.takeActiveMs(), hasProgress: true } as const;
      await this.writes.write(run, change, eventsOf(step, calls));
      await this.steps.answered(run.id, step.seq, { ...step, text: step.text ?? '' });
      await this.calls.addAll(calls);
      for (const call of calls.filter(({ state }) => state === 'awaiting_approval'))
        await this.approvals.ask(active, call);
    });
    active.stepped(step, calls);
  }

  private stepOf({ lastStep }: ActiveRun, { seq, asks, kind, answer }: AnsweredStep): RunStep {
    const endedAt = this.clock.now();
    return {
      seq,
      kind,
      state: 'answered',
      asks,
      model: answer.model,
      // PostgreSQL stores no NUL.
      text: answer.text.replaceAll('\0', ''),
      generationId: answer.generationId,
      inputTokens: answer.inputTokens,
      outputTokens: answer.outputTokens,
      costNano: answer.costNano,
      createdAt: lastStep?.createdAt ?? endedAt,
      endedAt,
    };
  }
}

function eventsOf(step: RunStep, calls: readonly RunToolCall[]): NewRunEvent[] {
  return [
    {
      type: 'step.ended',
      data: {
        step: step.seq,
        kind: step.kind,
        model: step.model,
        text: step.text,
        ...(step.costNano === null ? {} : { cost_nano: step.costNano.toString() }),
      },
    },
    ...calls.map((call) => ({ type: 'call.proposed' as const, data: callDataOf(call) })),
  ];
}

/** What followers of a run see of a call. */
const callDataOf = (call: RunToolCall): Readonly<Record<string, unknown>> => ({
  call_id: call.id,
  step: call.step,
  tool: call.tool,
  state: call.state,
  arguments: call.arguments,
  ...(call.error === null ? {} : { error: call.error }),
});
