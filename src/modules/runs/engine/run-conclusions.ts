import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { JsonSchemas } from '../../agents/json-schemas.js';
import { OrgEvents } from '../../events/org-events.js';
import { RunFailed } from '../domain/run-failed.js';
import type { Run } from '../domain/run.js';
import { RunEnding } from '../ending/run-ending.js';
import { RunSignals } from '../events/run-signals.js';
import { RunMessagesStore } from '../persistence/run-messages.store.js';
import { RunWritesStore } from '../persistence/run-writes.store.js';
import type { ActiveRun } from './held-run.js';
import type { Wait } from './wait.js';

/** A model may answer so often with what does not fit the schema of the output. */
const MAX_MISFITS = 2;
/** What a person has to act on is announced. */
const FOR_PEOPLE: readonly string[] = ['approval', 'answer', 'budget', 'unknown_outcome'];

/** Commits that a run ends or waits, while this worker has it. */
@Injectable()
export class RunConclusions {
  constructor(
    private readonly database: Database,
    private readonly writes: RunWritesStore,
    private readonly messages: RunMessagesStore,
    private readonly schemas: JsonSchemas,
    private readonly ending: RunEnding,
    private readonly orgEvents: OrgEvents,
    private readonly signals: RunSignals,
  ) {}

  /**
   * Ends the run with the last answer as its output. False when the answer does not fit the schema, and the model is
   * shown why.
   *
   * @throws {RunFailed} `output_invalid` when it does not fit again and again.
   */
  async succeed(active: ActiveRun): Promise<boolean> {
    const { run, version, lastStep } = active;
    const text = lastStep?.text ?? '';
    const { output, fault } = version.outputSchema === null ? { output: text } : this.read(version.outputSchema, text);
    if (fault !== undefined) {
      await this.misfit(active, fault);
      return false;
    }
    await this.database.transaction(async () => {
      const events = [{ type: 'run.succeeded' as const, data: { output } }];
      await this.writes.write(run, { state: 'succeeded', output, addedActiveMs: active.takeActiveMs() }, events);
      await this.ending.ended({ ...run, isTainted: active.isTainted }, { state: 'succeeded', output });
    });
    return true;
  }

  async fail(run: Run, code: string, message: string): Promise<void> {
    const failure = { code, message: message.slice(0, 2_000) };
    await this.database.transaction(async () => {
      await this.writes.write(run, { state: 'failed', failure }, [{ type: 'run.failed', data: { error: failure } }]);
      await this.ending.ended(run, { state: 'failed', failure });
    });
  }

  /** A wake since the run was taken lets it go on at once. */
  async wait(active: ActiveRun, wait: Wait): Promise<void> {
    const { run } = active;
    const data = {
      waiting_for: wait.for,
      ...wait.detail,
      ...(wait.until === null ? {} : { wakes_at: wait.until.toISOString() }),
    };
    await this.database.transaction(async () => {
      await this.writes.write(
        run,
        {
          state: 'waiting',
          waitingFor: wait.for,
          waitDetail: wait.detail,
          wakesAt: wait.until,
          seenWakes: run.wakes,
          addedActiveMs: active.takeActiveMs(),
        },
        [{ type: 'run.waiting', data }],
      );
      if (FOR_PEOPLE.includes(wait.for))
        await this.orgEvents.publish({
          orgId: run.orgId,
          type: 'run.waiting',
          data: { run_id: run.id, agent_id: run.agentId, waiting_for: wait.for },
        });
    });
    await this.signals.notify(run.id);
  }

  private read(schema: Readonly<Record<string, unknown>>, text: string): { output?: unknown; fault?: string } {
    let output: unknown;
    try {
      output = JSON.parse(unfenced(text));
    } catch {
      return { fault: 'It is not JSON.' };
    }
    const faults = this.schemas.validate(schema, output);
    return faults.length === 0
      ? { output }
      : { fault: faults.map(({ path, message }) => `output${path} ${message}`).join('; ') };
  }

  private async misfit(active: ActiveRun, fault: string): Promise<void> {
    const { run } = active;
    const misfits = (await this.messages.list(run.id)).filter(({ content }) => isMisfit(content)).length;
    if (misfits >= MAX_MISFITS)
      throw new RunFailed('output_invalid', `The output does not fit the schema of the version: ${fault}`);
    await this.database.transaction(async () => {
      await this.writes.write(run, {}, []);
      await this.messages.add(run.id, { callId: null, content: `${MISFIT} ${fault}`, userId: null });
    });
    active.isRejected = true;
  }
}

const MISFIT = 'Your answer does not fit the required JSON Schema. Answer again with the JSON only.';
const isMisfit = (content: unknown): boolean => typeof content === 'string' && content.startsWith(MISFIT);

/** Models like to put JSON into a block of Markdown. */
function unfenced(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('```') || !trimmed.endsWith('```')) return text;
  return trimmed.slice(trimmed.indexOf('\n') + 1, -3);
}
