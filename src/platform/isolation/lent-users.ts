import assert from 'node:assert';
import { lchown } from 'node:fs/promises';

import { type HostUser, type HostUsers } from './host-users.js';
import { type LentUser } from './launch-spec.js';

/** Has a host user where users can be changed, else none. */
abstract class UserHolder implements LentUser {
  protected constructor(readonly user: HostUser | null) {}

  abstract giveBack(): void;

  async own(directory: string): Promise<void> {
    if (this.user !== null) await lchown(directory, this.user.uid, this.user.gid);
  }
}

export class Tenant extends UserHolder {
  constructor(private readonly users: HostUsers) {
    super(users.canSwitch ? users.lend() : null);
  }

  override giveBack(): void {
    if (this.user !== null) this.users.takeBack(this.user);
  }
}

export class KeptTenant extends UserHolder {
  constructor(users: HostUsers) {
    super(users.canSwitch ? users.kept : null);
  }

  override giveBack(): void {
    // It was not taken from the others.
  }
}

export function hostUserOf(user: LentUser): HostUser | null {
  assert(user instanceof UserHolder, 'users are lent by Isolation');
  return user.user;
}
