import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { AuthEpochs } from '../../auth/auth-epochs.js';
import { type Person, PersonDirectory } from '../../auth/person-directory.js';
import { operatorRoleOf } from '../../operators/operator-role.js';
import { OperatorsSettings } from '../../operators/operators.settings.js';
import { UsersStore } from '../persistence/users.store.js';

@Injectable()
export class AccountDirectory extends PersonDirectory {
  constructor(
    private readonly users: UsersStore,
    private readonly epochs: AuthEpochs,
    private readonly clock: Clock,
    private readonly operators: OperatorsSettings,
  ) {
    super();
  }

  async find(id: string): Promise<Person | undefined> {
    const found = await this.users.findPerson(id, this.clock.now());
    if (found === undefined) return undefined;
    const { username, email, emailVerified, hasSecondFactor, hasPassword, pendingEmail, authEpoch } = found;
    return {
      id,
      username,
      email,
      emailVerified,
      hasSecondFactor,
      hasPassword,
      ...(pendingEmail === null ? {} : { pendingEmail }),
      authEpoch,
      operator: operatorRoleOf(found, this.operators),
    };
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

  async noteSecondFactor(id: string, hasSecondFactor: boolean): Promise<void> {
    await this.users.setSecondFactor(id, hasSecondFactor);
    await this.raiseEpoch(id);
  }

  async raiseEpoch(id: string): Promise<void> {
    const epoch = await this.users.raiseEpoch(id);
    if (epoch !== undefined) await this.epochs.announce(id, epoch);
  }

  holdOffPasswordChange(id: string): Promise<void> {
    return this.users.sharePasswordLock(id);
  }
}
