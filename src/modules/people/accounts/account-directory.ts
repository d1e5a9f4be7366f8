import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { AuthEpochs } from '../../auth/auth-epochs.js';
import { type Person, PersonDirectory } from '../../auth/person-directory.js';
import { UsersStore } from '../persistence/users.store.js';

@Injectable()
export class AccountDirectory extends PersonDirectory {
  constructor(
    private readonly users: UsersStore,
    private readonly epochs: AuthEpochs,
    private readonly clock: Clock,
  ) {
    super();
  }

  find(id: string): Promise<Person | undefined> {
    return this.users.findPerson(id);
  }

  async findIdByEmail(email: string): Promise<string | undefined> {
    return (await this.users.findByEmail(email))?.id;
  }

  usernamesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.users.usernamesOf(ids);
  }

  markVerified(id: string, email: string): Promise<void> {
    return this.users.markVerified(id, email, this.clock.now());
  }

  async raiseEpoch(id: string): Promise<void> {
    const epoch = await this.users.raiseEpoch(id);
    if (epoch !== undefined) await this.epochs.announce(id, epoch);
  }

  holdOffPasswordChange(id: string): Promise<void> {
    return this.users.sharePasswordLock(id);
  }
}
