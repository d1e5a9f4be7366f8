import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { JsonSchemas } from '../../agents/json-schemas.js';
import type { Call } from '../../auth/caller.js';
import type { RunToolCall } from '../domain/tool-call-state.js';
import type { Run } from '../domain/run.js';
import { RunMessagesStore } from '../persistence/run-messages.store.js';
import { RunToolCallsStore } from '../persistence/run-tool-calls.store.js';
import { RunWritesStore } from '../persistence/run-writes.store.js';
import { RunWakesService } from '../run-wakes.service.js';
import { RunsService, type ShownRun } from './runs.service.js';

/** What a person says to a run, answers to one of its questions, or knows of a call whose outcome is unknown. */
export interface RunMessageInput {
  readonly content?: unknown;
  readonly callId?: string | undefined;
  readonly outcome?: 'happened' | 'did_not_happen' | undefined;
  readonly output?: unknown;
}

/** Takes messages of people for runs. */
@Injectable()
export class RunMessages {
  constructor(
    private readonly database: Database,
    private readonly runs: RunsService,
    private readonly messages: RunMessagesStore,
    private readonly calls: RunToolCallsStore,
    private readonly writes: RunWritesStore,
    private readonly wakes: RunWakesService,
    private readonly schemas: JsonSchemas,
  ) {}

  /**
   * Adds a message, which the model reads with its next answer. An answer to a question lets the run go on.
   *
   * @throws {RunNotFound} `run_not_found`
   * @throws {RunAlreadyOver} `run_already_over`
   * @throws {RequestInvalid} `invalid_request`: the call asks nothing, or the answer does not fit its schema.
   */
  async add(call: Call, runId: string, input: RunMessageInput): Promise<ShownRun> {
    const id = await this.database.transaction(async () => {
      const run = await this.runs.lockActive(call, runId, 'agents:run');
      if (input.outcome !== undefined) await this.settle(run, input);
      else await this.say(call, run, input);
      await this.wakes.wake(run.orgId, [run.id]);
      return run.id;
    });
    return this.runs.get(call, id);
  }

  private async say(call: Call, run: Run, { callId, content }: RunMessageInput): Promise<void> {
    if (content === undefined) throw refused('content', 'is_defined', 'content is required');
    if (callId !== undefined) await this.requireAnswer(run, callId, content);
    await this.messages.add(run.id, { callId: callId ?? null, content, userId: call.principal.user.id });
    await this.writes.addEvents(run.id, [
      { type: 'message.received', data: { content, ...(callId === undefined ? {} : { call_id: callId }) } },
    ]);
  }

  private async requireAnswer(run: Run, callId: string, content: unknown): Promise<void> {
    const asked = await this.waitingFor(run, callId, 'answer');
    const schema = asked.arguments['schema'];
    if (typeof schema !== 'object' || schema === null) return;
    const faults = this.schemas.validate(schema as Readonly<Record<string, unknown>>, content);
    if (faults.length > 0)
      throw new RequestInvalid(
        faults.map(({ path, message }) => ({
          path: `content${path}`,
          in: 'body',
          code: 'is_answer',
          message: `content${path} ${message}`,
        })),
      );
  }

  private async settle(run: Run, { callId, outcome, output }: RunMessageInput): Promise<void> {
    if (callId === undefined) throw refused('call_id', 'is_defined', 'call_id is required with outcome');
    const call = await this.waitingFor(run, callId, 'unknown_outcome');
    const happened = outcome === 'happened';
    await this.calls.change(
      call.id,
      ['outcome_unknown'],
      happened
        ? { state: 'succeeded', output: output ?? 'A person says that the call took effect.' }
        : { state: 'failed', error: { code: 'did_not_happen', message: 'A person says that it did not take effect.' } },
    );
    await this.writes.addEvents(run.id, [
      {
        type: 'call.ended',
        data: { call_id: call.id, tool: call.tool, state: happened ? 'succeeded' : 'failed', decided_by: 'person' },
      },
    ]);
  }

  private async waitingFor(run: Run, callId: string, wait: 'answer' | 'unknown_outcome'): Promise<RunToolCall> {
    const call = await this.calls.find(run.id, callId);
    const isAnswered = wait === 'answer' && (await this.messages.answerTo(run.id, callId)) !== undefined;
    if (call?.waitingFor === wait && !isAnswered) return call;
    throw refused('call_id', 'is_waiting_call', `call_id must be a call of this run that waits for ${wait}`);
  }
}

const refused = (path: string, code: string, message: string): RequestInvalid =>
  new RequestInvalid([{ path, in: 'body', code, message }]);
