import assert from 'node:assert';

import { isAddressOrRange } from '../../egress/ipv4-range.js';
import { INNER_V4 } from '../../egress/public-address.js';

/** An IPv4 address, or a range of them such as `10.0.0.0/24`, and a port; null stands for every port. */
export interface Destination {
  readonly address: string;
  readonly port: number | null;
}

/** Where a program may connect to, by TCP and UDP. Other protocols, and IPv6, lead nowhere. */
export interface NetworkRules {
  /** `listed` allows {@link listed} only, and `public` every public address. */
  readonly reach: 'public' | 'listed';
  readonly listed: readonly Destination[];
  /** These may be reached whatever the other rules say. */
  readonly exempt: readonly Destination[];
  /** Addresses and ranges that are refused although they are public: above all, the machine's own. */
  readonly refused: readonly string[];
}

/** The interface of the program, and the network between it and what carries its packets. */
export const DEVICE = 'tap0';
/** Nothing on the internet or in a private network has these addresses (RFC 6890). */
export const CARRIER_RANGE = '192.0.0.0/24';

/** Mail between servers. The ports on which people send mail with a password, 465 and 587, remain open. */
const SMTP_PORT = 25;
const NAMES_PORT = 53;

/** A browser that loads a page needs a few dozen connections, and a pool of a database about as many. */
const MOST_CONNECTIONS = 512;
const CONNECTIONS_PER_SECOND = 50;
const CONNECTIONS_AT_ONCE = 200;
const MEBIBYTES_PER_SECOND = 32;
const MEBIBYTES_AT_ONCE = 16;

const SETS = ['refused', 'exempt_addresses', 'exempt_services', 'listed_addresses', 'listed_services'] as const;
type SetName = (typeof SETS)[number];

/** Returns the commands of nft that set up the rules of a new network. */
export function rulesetOf(rules: NetworkRules): string {
  const inner = INNER_V4.map(([address, prefix]) => `${address}/${prefix}`).join(', ');
  const elsewhere =
    rules.reach === 'public'
      ? ['goto opening']
      : [
          'ip daddr @listed_addresses goto opening',
          'ip daddr . th dport @listed_services goto opening',
          'goto refusal',
        ];
  return `table inet app {
  counter sent { }
  counter received { }
  counter refusals { }
  set inner { type ipv4_addr; flags interval; auto-merge; elements = { ${inner} }; }
  set refused { type ipv4_addr; flags interval; auto-merge; }
  set exempt_addresses { type ipv4_addr; flags interval; auto-merge; }
  set exempt_services { type ipv4_addr . inet_service; flags interval; }
  set listed_addresses { type ipv4_addr; flags interval; auto-merge; }
  set listed_services { type ipv4_addr . inet_service; flags interval; }
  chain local_out {
    type filter hook output priority -300;
    oifname "lo" notrack
  }
  chain local_in {
    type filter hook prerouting priority -300;
    iifname "lo" notrack
  }
  chain outward {
    type filter hook output priority 0; policy drop;
    # A name that is asked for before the relay listens is asked for again instead of failing.
    oifname "lo" icmp type destination-unreachable @th,240,16 ${NAMES_PORT} drop
    oifname "lo" accept
    oifname != "${DEVICE}" drop
    meta nfproto != ipv4 drop
    meta l4proto != { tcp, udp } drop
    ct state invalid drop
    ct state { established, related } goto paced
    ip daddr { 127.0.0.0/8, ${CARRIER_RANGE} } goto refusal
    ip daddr @exempt_addresses goto opening
    ip daddr . th dport @exempt_services goto opening
    ip daddr @inner goto refusal
    ip daddr @refused goto refusal
    th dport ${SMTP_PORT} goto refusal
    ${elsewhere.join('\n    ')}
  }
  chain opening {
    limit rate over ${CONNECTIONS_PER_SECOND}/second burst ${CONNECTIONS_AT_ONCE} packets goto refusal
    ct count over ${MOST_CONNECTIONS} goto refusal
    goto paced
  }
  chain paced {
    limit rate over ${MEBIBYTES_PER_SECOND} mbytes/second burst ${MEBIBYTES_AT_ONCE} mbytes drop
    counter name sent accept
  }
  chain refusal {
    counter name refusals
    # A socket may miss an ICMP message while it connects, and would wait for the next one.
    meta l4proto tcp reject with tcp reset
    reject with icmpx type admin-prohibited
  }
  chain inward {
    type filter hook input priority 0; policy drop;
    iifname "lo" accept
    meta nfproto != ipv4 drop
    ct state != { established, related } drop
    limit rate over ${MEBIBYTES_PER_SECOND} mbytes/second burst ${MEBIBYTES_AT_ONCE} mbytes drop
    counter name received accept
  }
  chain through {
    type filter hook forward priority 0; policy drop;
  }
}
${replacementOf(rules)}`;
}

/** Returns the commands that replace the addresses of a network in use. What is connected remains connected. */
export function replacementOf(rules: NetworkRules): string {
  const [exemptAddresses, exemptServices] = elementsOf(rules.exempt);
  const [listedAddresses, listedServices] = elementsOf(rules.listed);
  const elements: Readonly<Record<SetName, readonly string[]>> = {
    refused: rules.refused.map(checked),
    exempt_addresses: exemptAddresses,
    exempt_services: exemptServices,
    listed_addresses: listedAddresses,
    listed_services: listedServices,
  };
  return SETS.flatMap((name) => [
    `flush set inet app ${name}`,
    ...(elements[name].length === 0
      ? []
      : [`add element inet app ${name} { ${[...new Set(elements[name])].join(', ')} }`]),
  ])
    .map((command) => `${command}\n`)
    .join('');
}

function elementsOf(destinations: readonly Destination[]): [addresses: string[], services: string[]] {
  const everyPort = destinations.filter(({ port }) => port === null);
  const onePort = destinations.filter(({ port }) => port !== null);
  return [
    everyPort.map(({ address }) => checked(address)),
    onePort.map(({ address, port }) => {
      assert(Number.isInteger(port) && port! >= 1 && port! <= 65_535, 'a port is a number up to 65535');
      return `${checked(address)} . ${port}`;
    }),
  ];
}

/** Only addresses may get into the commands. */
function checked(address: string): string {
  assert(isAddressOrRange(address), 'an address of a rule is not an IPv4 address or range');
  return address;
}
