import { Injectable } from '@nestjs/common';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import type { AnswerSink } from '../calls/answer-sink.js';
import { GenerationContentsStore } from '../persistence/generation-contents.store.js';
import type { Fields } from '../routers/upstream-json.js';
import { ContentVault } from './content-vault.js';
import { KeptText } from './kept-text.js';
import { RecordingSink } from './recording-sink.js';

/** A generation whose texts are kept. */
interface KeptGeneration {
  readonly id: string;
  readonly orgId: string;
  /** The body of the request. */
  readonly fields: Fields;
}

/** Keeps texts of generations for organizations that have asked for it. */
@Injectable()
export class TextsKeeper {
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly contents: GenerationContentsStore,
    private readonly vault: ContentVault,
    private readonly clock: Clock,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    // What has ended is written before the database closes.
    shutdown.at('workers', async () => {
      await Promise.allSettled(this.running);
    });
  }

  /**
   * Runs `work` with a sink that records the answer, and writes the texts once it has ended. The caller does not wait
   * for that, and a failure to write fails no call.
   */
  async keep<T>(generation: KeptGeneration, sink: AnswerSink, work: (sink: AnswerSink) => Promise<T>): Promise<T> {
    const recording = new RecordingSink(sink);
    try {
      return await work(recording);
    } finally {
      const writing = this.write(generation, recording).finally(() => this.running.delete(writing));
      this.running.add(writing);
    }
  }

  private async write({ id, orgId, fields }: KeptGeneration, { answer, contentType }: RecordingSink): Promise<void> {
    const place = { generationId: id, orgId };
    try {
      const request = new KeptText();
      request.push(Buffer.from(JSON.stringify(fields)));
      await this.contents.insert({
        ...place,
        ...this.vault.seal({ request: request.toString(), answer: answer.toString() }, place),
        requestIsTruncated: request.isTruncated,
        answerIsTruncated: answer.isTruncated,
        contentType,
        createdAt: this.clock.now(),
      });
    } catch (error) {
      // An error of the database has the values of the query, which are long and worthless.
      const reason = error instanceof Error ? error.message : 'unknown';
      this.log.warn({ generationId: id, orgId, reason }, 'The texts of a generation could not be kept.');
    }
  }
}
