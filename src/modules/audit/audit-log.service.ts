import assert from 'node:assert/strict';
import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Page, PageRequest } from '../../platform/database/page.js';
import { Ids } from '../../platform/ids/ids.js';
import { RequestContext } from '../../platform/logging/request-context.js';
import { Outbox } from '../../platform/outbox/outbox.js';
import { Clock } from '../../platform/time/clock.js';
import { AUDIT_ENTRY_ID } from './audit.ids.js';
import { auditRecordedEvent } from './audit-recorded.job.js';
import type { AuditEntry } from './persistence/audit-entry.entity.js';
import { type AuditPeriod, AuditStore } from './persistence/audit.store.js';

/** How many entries are in memory at a time while a log is read as a whole. */
const PART = 500;

export type { AuditEntry, AuditPeriod };

export interface AuditedAct {
  /** The organization whose log gets the entry. */
  readonly orgId: string;
  /** The kind of target and what was done to it, such as `key.created`. */
  readonly action: `${string}.${string}`;
  readonly target: { readonly type: string; readonly id: string };
  /** Facts that every reader of the log can see. They contain no secrets and no addresses. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The parts of an authenticated call that the log reads. */
export interface AuditedCall {
  readonly principal: {
    readonly user: { readonly id: string };
    readonly credential: { readonly type: string; readonly keyId?: string };
  };
  readonly ip: string;
}

/** Who acted when there is no authenticated call, as at sign-in. Empty when the service itself acted. */
export interface AuditActor {
  readonly userId?: string;
  readonly ip?: string;
}

/** Records what was done in an organization, and by whom. The database refuses changes of entries. */
@Injectable()
export class AuditLogService {
  constructor(
    private readonly database: Database,
    private readonly entries: AuditStore,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly context: RequestContext,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Writes an entry in the running transaction, so that it exists, and is announced, exactly when the action has
   * happened.
   */
  async record({ orgId, action, target, details = {} }: AuditedAct, by: AuditedCall | AuditActor): Promise<void> {
    assert(this.database.inTransaction, `${action} was audited outside a transaction.`);
    const { userId, keyId, ip } = 'principal' in by ? factsOf(by) : { ...by, keyId: undefined };
    const via = this.context.current?.via;
    const id = this.ids.next(AUDIT_ENTRY_ID);
    await this.entries.insert({
      id,
      orgId,
      action,
      actorUserId: userId ?? null,
      actorKeyId: keyId ?? null,
      targetType: target.type,
      targetId: target.id,
      ip: ip ?? null,
      requestId: this.context.current?.requestId ?? null,
      details: via === undefined ? details : { ...details, via },
      at: this.clock.now(),
    });
    await this.outbox.publish(auditRecordedEvent, { orgId, entryId: id });
  }

  find(orgId: string, id: string): Promise<AuditEntry | undefined> {
    return this.entries.find(orgId, id);
  }

  /** Lists entries, newest first. */
  list(orgId: string, page: PageRequest): Promise<Page<AuditEntry>> {
    return this.entries.list(orgId, page);
  }

  /** Reads all entries of a period, oldest first, in parts of at most 500. */
  async *read(orgId: string, period: AuditPeriod): AsyncGenerator<AuditEntry[], undefined, undefined> {
    for (let after = ''; ;) {
      const part = await this.entries.listOn(orgId, period, after, PART);
      if (part.length > 0) yield part;
      if (part.length < PART) return;
      after = part.at(-1)!.id;
    }
  }
}

function factsOf({ principal: { user, credential }, ip }: AuditedCall): {
  userId: string;
  keyId: string | undefined;
  ip: string;
} {
  return { userId: user.id, keyId: credential.keyId, ip };
}
