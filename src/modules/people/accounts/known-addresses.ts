import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { clientAddressOf } from '../../limits/client-address.js';
import { SignInAddressesStore } from '../persistence/sign-in-addresses.store.js';

const REMEMBERED_MS = 180 * 86_400_000;

/** Stands for an unknown account, so that the lookup takes as long as for an existing one. */
const NO_USER = 'usr_nobody';

/**
 * The networks from which a person has signed in within half a year: an IPv4 address, or the /64 of an IPv6 address. A
 * sign-in from anywhere else is reported by mail, and attempts from elsewhere never lock the person out of these.
 */
@Injectable()
export class KnownAddresses {
  constructor(
    private readonly addresses: SignInAddressesStore,
    private readonly clock: Clock,
  ) {}

  has(userId: string | undefined, ip: string): Promise<boolean> {
    return this.addresses.has(userId ?? NO_USER, networkOf(ip));
  }

  /** Remembers the address in the running transaction. Returns true when it is a new one. */
  note(userId: string, ip: string): Promise<boolean> {
    const now = this.clock.now();
    return this.addresses.note(userId, networkOf(ip), { now, forgetBefore: new Date(now.getTime() - REMEMBERED_MS) });
  }

  /** A reset forgets all addresses, because a person with the old password may have signed in from some of them. */
  forgetAll(userId: string): Promise<void> {
    return this.addresses.forgetAll(userId);
  }
}

const networkOf = (ip: string): string => clientAddressOf(ip).network;
