import { isDomain } from '../../../platform/config/hosts.js';
import { isAddressOrRange } from '../../../platform/egress/ipv4-range.js';

/** A host that apps may connect to: a name, an IPv4 address or a range of them. Port null stands for every port. */
export interface NamedDestination {
  readonly host: string;
  readonly isName: boolean;
  readonly port: number | null;
}

const MOST_DESTINATIONS = 100;

/** Parses a list such as `api.example.com, 10.0.0.5:5432, 10.1.0.0/16`. Returns undefined for anything else. */
export function parseDestinations(text: string): readonly NamedDestination[] | undefined {
  const parts = itemsOf(text);
  const destinations = parts.flatMap((part) => destinationOf(part) ?? []);
  return destinations.length === parts.length && parts.length <= MOST_DESTINATIONS ? destinations : undefined;
}

/** Parses a list of IPv4 addresses and ranges. Returns undefined for anything else. */
export function parseAddresses(text: string): readonly string[] | undefined {
  const parts = itemsOf(text);
  return parts.every(isAddressOrRange) && parts.length <= MOST_DESTINATIONS ? parts : undefined;
}

/** Parses a list such as `10.0.0.53, 10.0.1.53:5353`. Returns undefined for anything else. */
export function parseNameServers(text: string): readonly string[] | undefined {
  const parts = itemsOf(text);
  const isServer = (part: string): boolean => {
    const destination = destinationOf(part);
    return destination?.isName === false && !destination.host.includes('/');
  };
  return parts.every(isServer) && parts.length > 0 && parts.length <= MOST_DESTINATIONS ? parts : undefined;
}

function itemsOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function destinationOf(text: string): NamedDestination | undefined {
  const [, host = '', digits] = /^([^:\s]+)(?::(\d{1,5}))?$/.exec(text.toLowerCase()) ?? [];
  const port = digits === undefined ? null : Number(digits);
  if (port !== null && (port < 1 || port > 65_535)) return undefined;
  if (isAddressOrRange(host)) return { host, isName: false, port };
  return isDomain(host) ? { host, isName: true, port } : undefined;
}
