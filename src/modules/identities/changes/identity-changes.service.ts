import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Call } from '../../auth/caller.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import { SessionsService } from '../../auth/sessions.service.js';
import { ExternalSignInsService, type ShownCode } from '../external-sign-ins.service.js';
import { IdentityHistory } from '../history/identity-history.js';
import { IdentityNotFound, LastSignInMethod } from '../identities.errors.js';
import { IdentitiesService } from '../identities.service.js';
import { IdentitiesStore, type Identity } from '../persistence/identities.store.js';
import { sourceOf } from '../sign-in-source.js';

/** Connects and removes the identities of people. The routes have asked for a recent sign-in. */
@Injectable()
export class IdentityChangesService {
  constructor(
    private readonly database: Database,
    private readonly signIns: ExternalSignInsService,
    private readonly identities: IdentitiesService,
    private readonly store: IdentitiesStore,
    private readonly people: PersonDirectory,
    private readonly sessions: SessionsService,
    private readonly history: IdentityHistory,
  ) {}

  /**
   * Connects the identity. Only the person who began can: a code that another person was lured to make counts nothing.
   *
   * @throws {ExternalSignInInvalid} `invalid_flow`
   * @throws {IdentityConnected} `already_exists`
   */
  connect(shown: ShownCode, call: Call): Promise<Identity> {
    const { id: userId } = call.principal.user;
    return this.database.transaction(async () => {
      const identity = await this.signIns.redeem(shown, userId);
      const id = await this.identities.connect(identity, userId, call);
      await this.history.notify(userId);
      return (await this.store.list(userId)).find((each) => each.id === id)!;
    });
  }

  /**
   * Removes an identity, and ends the sessions that were opened through it, except that of the call. A passkey is not
   * enough to stay, because it can be lost with its device.
   *
   * @throws {IdentityNotFound} `identity_not_found`
   * @throws {LastSignInMethod} `last_sign_in_method`
   */
  remove(id: string, call: Call): Promise<void> {
    const { id: userId } = call.principal.user;
    return this.database.transaction(async () => {
      const all = await this.store.lock(userId);
      const identity = all.find((each) => each.id === id);
      if (identity === undefined) throw new IdentityNotFound();
      // The principal may be some seconds old.
      const hasPassword = (await this.people.find(userId))?.hasPassword === true;
      if (all.length === 1 && !hasPassword) throw new LastSignInMethod();
      const { provider, issuer } = identity;
      await this.store.delete(id);
      await this.history.record({ userId, action: 'removed', provider }, call);
      await this.history.notify(userId);
      await this.sessions.endOpenedThrough(sourceOf(provider, issuer), userId, call);
    });
  }
}
