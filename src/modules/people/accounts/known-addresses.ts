import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { clientAddressOf } from '../../limits/client-address.js';
import { SignInAddressesStore } from '../persistence/sign-in-addresses.store.js';

const REMEMBERED_MS = 180 * 86_400_000;

/** Stands for an account that does not exist, so that the lookup takes as long as for one that does. */
const NOBODY = 'usr_nobody';

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
    return this.addresses.has(userId ?? NOBODY, networkOf(ip));
  }

  /** Remembers the address with the running transaction, and says whether it is a new one. */
  note(userId: string, ip: string): Promise<boolean> {
    const now = this.clock.now();
    return this.addresses.note(userId, networkOf(ip), { now, forgetBefore: new Date(now.getTime() - REMEMBERED_MS) });
  }

  /** After a reset: whoever knew the old password may have made an address of theirs a known one. */
  forgetAll(userId: string): Promise<void> {
    return this.addresses.forgetAll(userId);
  }
}

const networkOf = (ip: string): string => clientAddressOf(ip).network;
