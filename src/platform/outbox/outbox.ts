import assert from 'node:assert/strict';
import { Injectable } from '@nestjs/common';
import { BackgroundCatalog } from '../background/background-catalog.js';
import type { EventDefinition } from '../background/define-event.js';
import { arrayOfNumbers, arrayOfTexts, arrayOfTimes } from '../database/array-literal.js';
import { Database } from '../database/database.js';
import { prepared } from '../database/prepared.js';
import { Ids } from '../ids/ids.js';
import { RequestContext } from '../logging/request-context.js';
import type { JobDefinition } from '../background/define-job.js';
import { OUTBOX_MESSAGE_ID } from '../ids/platform.ids.js';
import { Clock } from '../time/clock.js';
import { OutboxCalls } from './outbox-calls.js';
import type { OutboxMessage } from './outbox-message.entity.js';

const ADD = prepared(`
  INSERT INTO outbox_messages (id, job_id, queue, envelope, attempts, backoff_ms, created_at)
  SELECT * FROM unnest(
    $1::text[], $2::text[], $3::text[], $4::jsonb[], $5::int[], $6::int[], $7::timestamptz[])`);

/** Enqueues jobs with the transaction: after the commit both exist, and after a rollback neither does. */
@Injectable()
export class Outbox {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly context: RequestContext,
    private readonly calls: OutboxCalls,
    private readonly catalog: BackgroundCatalog,
  ) {}

  /** `jobId` lets other code end the job. An id is accepted once per queue, for as long as the job is kept there. */
  async enqueue<Payload extends object>(
    queue: JobDefinition<Payload>,
    payload: Payload,
    jobId?: string,
  ): Promise<void> {
    await this.add([this.messageOf(queue, payload, jobId)]);
  }

  /** Enqueues one job for each payload, in their order. */
  async enqueueAll<Payload extends object>(queue: JobDefinition<Payload>, payloads: readonly Payload[]): Promise<void> {
    if (payloads.length > 0) await this.add(payloads.map((payload) => this.messageOf(queue, payload)));
  }

  /** Publishes an event with the transaction: each of its subscribers gets a job. */
  async publish<Payload extends object>(event: EventDefinition<Payload>, payload: Payload): Promise<void> {
    const messages = this.catalog.subscriptionsOf(event).map((subscription) => this.messageOf(subscription, payload));
    if (messages.length > 0) await this.add(messages);
  }

  /** {@link publish} for several events, in their order. */
  async publishAll<Payload extends object>(
    event: EventDefinition<Payload>,
    payloads: readonly Payload[],
  ): Promise<void> {
    const subscriptions = this.catalog.subscriptionsOf(event);
    const messages = payloads.flatMap((payload) => subscriptions.map((each) => this.messageOf(each, payload)));
    if (messages.length > 0) await this.add(messages);
  }

  private async add(messages: OutboxMessage[]): Promise<void> {
    assert(this.database.inTransaction, `A job for ${messages[0]!.queue} was enqueued outside a transaction.`);
    this.database.writeLater(ADD, [
      arrayOfTexts(messages.map(({ id }) => id)),
      arrayOfTexts(messages.map(({ jobId }) => jobId)),
      arrayOfTexts(messages.map(({ queue }) => queue)),
      arrayOfTexts(messages.map(({ envelope }) => JSON.stringify(envelope))),
      arrayOfNumbers(messages.map(({ attempts }) => attempts)),
      arrayOfNumbers(messages.map(({ backoffMs }) => backoffMs)),
      arrayOfTimes(messages.map(({ createdAt }) => createdAt)),
    ]);
    await this.database.afterCommit(() => {
      this.calls.ring();
      return Promise.resolve();
    });
  }

  private messageOf<Payload extends object>(
    queue: JobDefinition<Payload>,
    payload: Payload,
    jobId?: string,
  ): OutboxMessage {
    return {
      id: this.ids.next(OUTBOX_MESSAGE_ID),
      jobId: jobId ?? null,
      queue: queue.name,
      envelope: { payload, correlation: this.context.current },
      attempts: queue.attempts,
      backoffMs: queue.backoffMs,
      createdAt: this.clock.now(),
    };
  }
}
