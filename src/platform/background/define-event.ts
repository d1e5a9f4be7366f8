import type { Type } from '@nestjs/common';
import { defineJob, type JobDefinition } from './define-job.js';

/** A fact that is committed together with its cause. The publisher does not know its subscribers. */
export interface EventDefinition<Payload extends object> {
  readonly name: string;
  readonly summary: string;
  readonly payload: Type<Payload>;
}

/** One subscriber of an event. It has a queue of its own, so that no other subscriber consumes its messages. */
export interface SubscriptionDefinition<Payload extends object> extends JobDefinition<Payload> {
  readonly event: EventDefinition<Payload>;
}

export const defineEvent = <Payload extends object>(definition: EventDefinition<Payload>): EventDefinition<Payload> =>
  Object.freeze(definition);

/** `name` is the subscriber's queue. It is unique and never changes, because jobs may wait under it. */
export const defineSubscription = <Payload extends object>(
  event: EventDefinition<Payload>,
  options: Omit<JobDefinition<Payload>, 'payload'>,
): SubscriptionDefinition<Payload> => Object.freeze({ ...defineJob({ ...options, payload: event.payload }), event });
