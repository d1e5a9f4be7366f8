import type { Type } from '@nestjs/common';
import { defineJob, type JobDefinition } from './define-job.js';

/** A fact that is committed with its cause. Whoever states it does not know who listens. */
export interface EventDefinition<Payload extends object> {
  readonly name: string;
  readonly summary: string;
  readonly payload: Type<Payload>;
}

/** One listener of an event. It has a queue of its own, so that no other listener takes its share. */
export interface SubscriptionDefinition<Payload extends object> extends JobDefinition<Payload> {
  readonly event: EventDefinition<Payload>;
}

export const defineEvent = <Payload extends object>(definition: EventDefinition<Payload>): EventDefinition<Payload> =>
  Object.freeze(definition);

/** `name` names the subscriber's queue: it is unique and never changes, because jobs may wait under it. */
export const defineSubscription = <Payload extends object>(
  event: EventDefinition<Payload>,
  options: Omit<JobDefinition<Payload>, 'payload'>,
): SubscriptionDefinition<Payload> => Object.freeze({ ...defineJob({ ...options, payload: event.payload }), event });
