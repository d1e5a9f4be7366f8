import { IsDateString, IsIn, IsObject, IsString } from 'class-validator';
import { defineEvent } from '../../platform/background/define-event.js';
import { EVENT_TYPES, type EventType } from './event-types.js';

/** Something that members of an organization, and programs of theirs, want to know. */
export class OrgEventPayload {
  /** The id of the event, so that a subscriber recognizes one that it gets twice. */
  @IsString() readonly id!: string;
  @IsString() readonly orgId!: string;
  @IsIn(EVENT_TYPES) readonly type!: EventType;
  @IsDateString() readonly at!: string;
  /** Ids and states as callers see them, and nothing secret. */
  @IsObject() readonly data!: Readonly<Record<string, unknown>>;
}

export const orgEvent = defineEvent({
  name: 'org-event',
  summary: 'Something happened in an organization that its members may follow.',
  payload: OrgEventPayload,
});
