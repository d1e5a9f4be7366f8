import { lookup } from 'node:dns/promises';
import { BlockList } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isPublicAddress } from '../../../platform/egress/public-address.js';
import {
  CARRIER_RANGE,
  type Destination,
  type NetworkRules,
} from '../../../platform/isolation/network/network-rules.js';
import type { HostingSettings } from '../hosting.settings.js';
import type { NamedDestination } from '../settings/destinations.js';

/** Servers of large sites answer with other addresses each time, and clients keep the earlier ones. */
const KEPT_MS = 3_600_000;
const MOST_ADDRESSES = 32;

/**
 * Knows which addresses the rules for apps name at the moment: those of the machine, and those behind the names of the
 * operator's lists.
 */
export class DestinationBook {
  /** When each address of a name was seen last. */
  private readonly seen = new Map<string, Map<string, number>>();
  private own: readonly string[] = ownAddresses();

  constructor(
    private readonly settings: HostingSettings,
    private readonly resolve: (name: string) => Promise<readonly string[]> = addressesOf,
  ) {}

  /** Looks the addresses of the machine up. */
  lookAtMachine(): void {
    this.own = ownAddresses();
  }

  /** Asks for the addresses of all names again. The earlier ones of a name that does not answer stay. */
  async lookUp(nowMs: number): Promise<void> {
    for (const { host, isName } of this.destinations)
      if (isName) this.note(host, await this.resolve(host).catch(() => []), nowMs);
  }

  /** Returns the addresses of a name of the operator's lists, and null for any other name. */
  addresses(name: string, reach: NetworkRules['reach']): readonly string[] | null {
    const lists = [...this.settings.appsNetworkAllowed, ...(reach === 'listed' ? this.free : this.ownService)];
    return lists.some(({ host, isName }) => isName && host === name) ? this.known(name) : null;
  }

  rules(reach: NetworkRules['reach']): NetworkRules {
    return {
      reach,
      listed: reach === 'listed' ? this.free.flatMap((each) => this.destinationsOf(each)) : [],
      exempt: [
        ...this.settings.appsNetworkAllowed.flatMap((each) => this.destinationsOf(each)),
        // This service may be on the same machine. What is behind its public address is public in any case.
        ...this.ownService
          .flatMap((each) => this.destinationsOf(each))
          .filter(({ address }) => isPublicAddress(address)),
      ],
      refused: [...this.own, ...this.settings.appsNetworkRefused],
    };
  }

  /** True for an address that a name may lead to: the same decision as that of the rules, for any port. */
  mayReach(address: string, { exempt, refused }: NetworkRules): boolean {
    const isIn = (ranges: readonly string[]): boolean => listOf(ranges).check(address);
    return isIn(exempt.map((each) => each.address)) || (isPublicAddress(address) && !isIn(refused));
  }

  private get ownService(): readonly NamedDestination[] {
    const own = this.settings.ownDestination;
    return own === undefined ? [] : [own];
  }

  private get free(): readonly NamedDestination[] {
    return [...this.settings.appsNetworkFreeHosts, ...this.ownService];
  }

  private get destinations(): readonly NamedDestination[] {
    return [...this.settings.appsNetworkAllowed, ...this.free];
  }

  private destinationsOf({ host, isName, port }: NamedDestination): Destination[] {
    return isName ? this.known(host).map((address) => ({ address, port })) : [{ address: host, port }];
  }

  private known(name: string): string[] {
    return [...(this.seen.get(name)?.keys() ?? [])];
  }

  private note(name: string, addresses: readonly string[], nowMs: number): void {
    const known = this.seen.get(name) ?? new Map<string, number>();
    for (const address of addresses.slice(0, MOST_ADDRESSES)) {
      // The latest ones are kept at the end.
      known.delete(address);
      known.set(address, nowMs);
    }
    for (const [address, seenAtMs] of known) {
      const isOld = addresses.length > 0 && seenAtMs + KEPT_MS < nowMs;
      if (isOld || known.size > MOST_ADDRESSES) known.delete(address);
    }
    this.seen.set(name, known);
  }
}

async function addressesOf(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true, family: 4 })).map(({ address }) => address);
}

/** Returns the addresses of all interfaces of the machine. */
function ownAddresses(): string[] {
  const carrier = listOf([CARRIER_RANGE]);
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, address }) => family === 'IPv4' && !carrier.check(address))
    .map(({ address }) => address)
    .sort();
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix = '32'] = range.split('/');
    list.addSubnet(address, Number(prefix), 'ipv4');
  }
  return list;
}
