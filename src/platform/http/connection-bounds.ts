import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Log } from '../logging/log.js';
import { plainAddress } from './caller-chain.js';
import { isInnerSocket } from './inner-calls.js';

export interface ConnectionBounds {
  readonly max: number;
  readonly maxPerAddress: number;
  /** True when many callers may share the address: a trusted proxy, or the machine itself. */
  readonly isShared: (address: string) => boolean;
  readonly log: Log;
}

/** However many connections are refused, the log has one line per interval for all of them. */
const REPORT_EVERY_MS = 10_000;
/** A connection to an app needs a second one, and files and databases need descriptors too. */
const DESCRIPTORS_PER_CONNECTION = 3;

/**
 * Closes connections beyond the limit of this process and beyond the limit of one address, before they cost anything.
 */
export function boundConnections(server: Server, { max, maxPerAddress, isShared, log }: ConnectionBounds): void {
  server.maxConnections = Math.min(max, Math.floor(openFilesLimit() / DESCRIPTORS_PER_CONNECTION));
  const report = reporterOf(log);
  server.on('drop', () => {
    report('all');
  });

  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    if (address === '' || isShared(address) || isInnerSocket(socket)) return;
    const network = networkOf(address);
    const count = open.get(network) ?? 0;
    if (count >= maxPerAddress) {
      report('address');
      socket.destroy();
      return;
    }
    open.set(network, count + 1);
    socket.once('close', () => {
      const left = open.get(network)! - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
  });
}

/** One IPv6 customer commonly has a whole /64, so the /64 counts as one address. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  return ipaddr.parse(address.split('%', 1)[0]!).toByteArray().slice(0, 8).join('.');
}

/** Loopback is the machine itself: probes, benchmarks, or a local proxy that `TRUST_PROXY` does not name. */
export const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.');

function reporterOf(log: Log): (bound: 'all' | 'address') => void {
  const refused = { all: 0, address: 0 };
  let timer: NodeJS.Timeout | undefined;
  return (bound) => {
    refused[bound]++;
    timer ??= setTimeout(() => {
      timer = undefined;
      const counts = { beyondMaxConnections: refused.all, beyondMaxPerAddress: refused.address };
      log.warn(counts, 'Connections were refused: too many are open.');
      refused.all = 0;
      refused.address = 0;
    }, REPORT_EVERY_MS).unref();
  };
}

function openFilesLimit(): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}
