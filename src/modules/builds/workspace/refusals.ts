import { type EgressRefusal } from '../../../platform/egress/egress-proxy.js';

/** The reasons why the network refused a connection, for the log of a build. */
export const REFUSALS: Readonly<Record<EgressRefusal, string>> = {
  not_allowed: 'a build may only go to package registries',
  not_public: 'the name does not lead to the internet',
  too_much: 'the build has sent and received as much as it may',
  not_tls: 'only TLS is allowed at port 443',
  no_server_name: 'TLS must name the server (SNI)',
  other_server_name: 'TLS asked for another server than the one connected to',
  encrypted_name: 'TLS must not encrypt the name of the server (ECH)',
  malformed: 'the TLS ClientHello is malformed',
  too_long: 'the TLS ClientHello is longer than 16 KiB or in too many records',
  too_slow: 'no TLS ClientHello came in time',
};

/** The hosts that a program did not reach, each once, by what the user can do about it. */
export interface UnreachedHosts {
  readonly refused: Set<string>;
  readonly unreachable: Set<string>;
  readonly internal: Set<string>;
}

export const unreachedHosts = (): UnreachedHosts => ({
  refused: new Set(),
  unreachable: new Set(),
  internal: new Set(),
});

export function hostsRefusedFor(reason: EgressRefusal, hosts: UnreachedHosts): Set<string> {
  if (reason === 'not_allowed') return hosts.refused;
  return reason === 'not_public' ? hosts.internal : hosts.unreachable;
}
