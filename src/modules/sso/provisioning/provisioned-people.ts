import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { type ProvisionedPerson, ProvisionedPeopleStore } from '../persistence/provisioned-people.store.js';

/** `unknown`: the provider has never provisioned the person through the connection. */
export type ProvisionedState = 'unknown' | 'provisioned' | 'suspended';

/** Remembers whom the provider of a connection provisions, and whom it has suspended or removed since. */
@Injectable()
export class ProvisionedPeople {
  constructor(
    private readonly people: ProvisionedPeopleStore,
    private readonly clock: Clock,
  ) {}

  async stateOf(person: ProvisionedPerson): Promise<ProvisionedState> {
    const suspended = await this.people.isSuspended(person);
    if (suspended === undefined) return 'unknown';
    return suspended ? 'suspended' : 'provisioned';
  }

  /** Joins the running transaction. */
  admit(person: ProvisionedPerson): Promise<void> {
    return this.people.save(person, false, this.clock.now());
  }

  /** Refuses sign-ins of the person through the connection from the commit on. It joins the running transaction. */
  suspend(person: ProvisionedPerson): Promise<void> {
    return this.people.save(person, true, this.clock.now());
  }
}
