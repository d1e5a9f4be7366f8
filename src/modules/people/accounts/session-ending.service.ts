import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { SessionsService } from '../../auth/sessions.service.js';
import { AccountNotFound } from '../people.errors.js';
import { UsersStore } from '../persistence/users.store.js';

/** Each person takes a transaction, and a call must end before its caller gives up. */
const PEOPLE_AT_ONCE = 200;

export interface EndedSessions {
  /** How many people had sessions that ended. */
  readonly people: number;
  /** True when more people have sessions of that time. */
  readonly hasMore: boolean;
}

/** Ends the sessions of people for the operator, in an emergency. Keys keep working. */
@Injectable()
export class SessionEndingService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersStore,
    private readonly sessions: SessionsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Ends all sessions of a person, named by id or username. Returns how many.
   *
   * @throws {AccountNotFound} `account_not_found`
   */
  async endOf(idOrUsername: string): Promise<number> {
    const user = idOrUsername.startsWith('usr_')
      ? await this.users.find(idOrUsername)
      : await this.users.findByUsername(idOrUsername.toLowerCase());
    if (user === undefined) throw new AccountNotFound();
    return this.database.transaction(() => this.sessions.endByOperator(user.id, this.clock.now()));
  }

  /** Ends the sessions of at most 200 people that were opened until a time. Repeat it while there are more. */
  async endUntil(until: Date): Promise<EndedSessions> {
    const found = await this.sessions.usersSignedInUntil(until, PEOPLE_AT_ONCE + 1);
    const users = found.slice(0, PEOPLE_AT_ONCE);
    for (const userId of users) await this.database.transaction(() => this.sessions.endByOperator(userId, until));
    return { people: users.length, hasMore: found.length > users.length };
  }
}
