import { BlockList, isIP } from 'node:net';
import type { Rendered } from './helm.js';
import { ofKind, selects, type Workload } from './pods.js';

/** A pod by its labels in this namespace, or an address. */
type Peer = { readonly labels: Readonly<Record<string, string>> } | { readonly address: string };

interface Flow {
  readonly protocol?: 'TCP' | 'UDP';
  readonly port: number;
}

/** Whether the policies let a pod open a connection, or let a connection to it in. */
export class Policies {
  constructor(private readonly objects: readonly Rendered[]) {}

  letsOut(from: Workload, to: Peer, flow: Flow): boolean {
    return this.allows(from, { way: 'Egress', rules: 'egress', peers: 'to' }, to, flow);
  }

  letsIn(to: Workload, from: Peer, flow: Flow): boolean {
    return this.allows(to, { way: 'Ingress', rules: 'ingress', peers: 'from' }, from, flow);
  }

  /** A pod that a policy selects may do what any policy that selects it allows, and any other pod everything. */
  private allows(
    pod: Workload,
    { way, rules, peers }: { way: string; rules: string; peers: string },
    other: Peer,
    { protocol = 'TCP', port }: Flow,
  ): boolean {
    const selecting = ofKind(this.objects, 'NetworkPolicy').filter(
      ({ spec }) => (spec.policyTypes as string[]).includes(way) && selects(spec.podSelector, pod.labels),
    );
    if (selecting.length === 0) return true;
    return selecting
      .flatMap(({ spec }) => (spec[rules] ?? []) as any[])
      .some(
        (rule) =>
          (rule[peers] === undefined || rule[peers].some((peer: any) => isPeer(peer, other))) &&
          (rule.ports === undefined ||
            rule.ports.some(
              (allowed: any) =>
                allowed.protocol === protocol &&
                port >= allowed.port &&
                port <= (allowed.endPort ?? (allowed.port as number)),
            )),
      );
  }
}

function isPeer(peer: any, other: Peer): boolean {
  if ('address' in other) return peer.ipBlock !== undefined && isWithin(other.address, peer.ipBlock);
  return (
    peer.ipBlock === undefined && peer.namespaceSelector === undefined && selects(peer.podSelector ?? {}, other.labels)
  );
}

function isWithin(address: string, { cidr, except = [] }: { cidr: string; except?: string[] }): boolean {
  return holds(cidr, address) && !except.some((range) => holds(range, address));
}

function holds(cidr: string, address: string): boolean {
  const [network = '', bits] = cidr.split('/');
  const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return (isIP(address) === 6) === (family === 'ipv6') && list.check(address, family);
}
