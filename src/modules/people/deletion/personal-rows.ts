import { Injectable } from '@nestjs/common';
import { SessionsService } from '../../auth/sessions.service.js';
import { FactorsService } from '../../factors/factors.service.js';
import { IdentitiesService } from '../../identities/identities.service.js';
import { PersonalRowsStore } from '../persistence/personal-rows.store.js';

/** What belongs to a person alone, besides the account itself. */
@Injectable()
export class PersonalRows {
  constructor(
    private readonly factors: FactorsService,
    private readonly identities: IdentitiesService,
    private readonly sessions: SessionsService,
    private readonly rows: PersonalRowsStore,
  ) {}

  /**
   * Deletes all of it in the running transaction. A call that was admitted before may have connected an identity since:
   * it goes first, so that no session is opened through it afterwards.
   */
  async eraseAll(userId: string): Promise<void> {
    await this.identities.eraseAll(userId);
    await this.factors.eraseAll(userId);
    await this.sessions.eraseAll(userId);
    await this.rows.deleteAllOf(userId);
  }
}
