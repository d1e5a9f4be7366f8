import { Injectable } from '@nestjs/common';
import { Ids } from '../../platform/ids/ids.js';
import { Clock } from '../../platform/time/clock.js';
import type { AuditActor } from '../audit/audit-log.service.js';
import type { Call } from '../auth/caller.js';
import type { CheckedIdentity, IdentityKey } from './checked-identity.js';
import { IdentityHistory } from './history/identity-history.js';
import { IDENTITY_ID } from './identities.ids.js';
import { ExternalSignInsStore } from './persistence/external-sign-ins.store.js';
import { IdentitiesStore, type Identity } from './persistence/identities.store.js';

export type { Identity };

/** Which identities at providers belong to which person. An account is never found by an email address. */
@Injectable()
export class IdentitiesService {
  constructor(
    private readonly identities: IdentitiesStore,
    private readonly signIns: ExternalSignInsStore,
    private readonly history: IdentityHistory,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  list(userId: string): Promise<Identity[]> {
    return this.identities.list(userId);
  }

  /** Returns the person that an identity belongs to, or undefined. */
  findUserId(key: IdentityKey): Promise<string | undefined> {
    return this.identities.findUserId(key);
  }

  /**
   * Notes in the running transaction that the person signs in with the identity, which cannot be removed until it ends.
   * Returns false when the person has it no longer.
   */
  use(identity: CheckedIdentity, userId: string): Promise<boolean> {
    return this.identities.use(identity, userId, this.clock.now());
  }

  /**
   * Connects an identity to a person in the running transaction.
   *
   * @throws {IdentityConnected} `already_exists`
   */
  async connect(identity: CheckedIdentity, userId: string, by: Call | AuditActor): Promise<string> {
    const id = this.ids.next(IDENTITY_ID);
    await this.identities.insert({ id, userId, at: this.clock.now() }, identity);
    await this.history.record({ userId, action: 'connected', provider: identity.provider }, by);
    return id;
  }

  /** Removes every identity of a person in the running transaction. The caller ends the sessions. */
  async removeAll(userId: string, by: Call | AuditActor): Promise<void> {
    const providers = await this.identities.deleteAll(userId);
    for (const provider of providers) await this.history.record({ userId, action: 'removed', provider }, by);
    if (providers.length > 0) await this.history.notify(userId);
  }

  /** Ends the sign-ins that lead through a connection and have not ended, in the running transaction. */
  endSignInsThrough(connectionId: string): Promise<void> {
    return this.signIns.deleteAllThrough(connectionId);
  }

  /**
   * Removes every identity of a connection in the running transaction, and the sign-ins that lead through it.
   *
   * @returns the people who had one, in the order in which the rows of people are locked.
   */
  async removeAllThrough(connectionId: string): Promise<string[]> {
    await this.endSignInsThrough(connectionId);
    return this.identities.deleteAllThrough(connectionId);
  }

  /** Deletes what is kept about a person whose account is deleted, in the running transaction, without a message. */
  async eraseAll(userId: string): Promise<void> {
    await this.signIns.deleteAllOf(userId);
    await this.identities.deleteAll(userId);
  }
}
