import { Injectable } from '@nestjs/common';
import { MemoriesService } from '../../agents/memories.service.js';
import type { Conversation } from '../../ai/model-answers.service.js';
import type { StepKind } from '../domain/run.js';
import { RunMessagesStore } from '../persistence/run-messages.store.js';
import { RunWritesStore } from '../persistence/run-writes.store.js';
import { RunsStore } from '../persistence/runs.store.js';
import { conversationOf, SUMMARY_REQUEST } from './conversation.js';
import type { ActiveRun } from './held-run.js';

/** How many earlier runs of a conversation the model reads. */
const MAX_EARLIER_RUNS = 20;

/** Reads what the model of a run is asked. */
@Injectable()
export class ConversationReader {
  constructor(
    private readonly memories: MemoriesService,
    private readonly messages: RunMessagesStore,
    private readonly runs: RunsStore,
    private readonly writes: RunWritesStore,
  ) {}

  /** Memory that was written after reading untrusted text marks the run. */
  async read(active: ActiveRun, kind: StepKind): Promise<Conversation> {
    const { run, version, tools, steps, calls } = active;
    const [blocks, messages, earlier] = await Promise.all([
      this.memories.blocksOf(version),
      this.messages.list(run.id),
      run.continues === null ? [] : this.runs.conversationBefore(run.id, MAX_EARLIER_RUNS),
    ]);
    if (!active.isTainted && blocks.some(({ tainted }) => tainted)) {
      await this.writes.write(run, { isTainted: true }, []);
      active.isTainted = true;
    }
    const conversation = conversationOf({ version, blocks, earlier, input: run.input, steps, calls, messages });
    return {
      models: version.models,
      messages: kind === 'summary' ? [...conversation, SUMMARY_REQUEST] : conversation,
      tools:
        kind === 'summary' && calls.length === 0
          ? []
          : [...tools.values()].map(({ tool: { name, description, inputSchema } }) => ({
              type: 'function',
              function: { name, description, parameters: inputSchema },
            })),
      maxTokens: version.maxOutputTokens,
      temperature: version.temperature,
    };
  }
}
