import { EVENT_TYPES, type EventType } from '../../events/event-types.js';

/** Sent only to endpoints that name it: it has addresses and actions of all members. */
export const AUDIT_TYPE = 'audit_log.recorded';

/** What an endpoint can ask for: the events of the organization, and the entries of its audit log. */
export type WebhookType = EventType | typeof AUDIT_TYPE;

export const WEBHOOK_TYPES: readonly WebhookType[] = [...EVENT_TYPES, AUDIT_TYPE];
