import type { AuditEntry } from '../../audit/audit-log.service.js';

/** An entry with the current username of its actor. */
export interface NamedAuditEntry {
  readonly entry: AuditEntry;
  readonly actorUsername: string | null;
}

/** An entry as callers see it. Absent fields are left out. */
export interface AuditEntryFields {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  /** Empty when the service itself acted. */
  readonly actor: { readonly user_id?: string; readonly username?: string; readonly key_id?: string };
  readonly target: { readonly type: string; readonly id: string };
  readonly ip?: string;
  readonly request_id?: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export function fieldsOf({ entry, actorUsername }: NamedAuditEntry): AuditEntryFields {
  const { id, at, action, actorUserId, actorKeyId, targetType, targetId, ip, requestId, details } = entry;
  return {
    id,
    at: at.toISOString(),
    action,
    actor: {
      ...(actorUserId === null ? {} : { user_id: actorUserId }),
      ...(actorUsername === null ? {} : { username: actorUsername }),
      ...(actorKeyId === null ? {} : { key_id: actorKeyId }),
    },
    target: { type: targetType, id: targetId },
    ...(ip === null ? {} : { ip }),
    ...(requestId === null ? {} : { request_id: requestId }),
    details,
  };
}
