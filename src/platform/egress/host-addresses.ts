import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';

const TIMEOUT_MS = 2_000;
const TRIES = 2;

/** Resolves the names of hosts that tenants chose. */
@Injectable()
export class HostAddresses {
  private readonly resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });

  /**
   * Asks the name servers of this machine, and not its file of hosts. No thread waits for an answer, so that names
   * whose servers never answer keep nothing else waiting. Addresses of IPv4 come first.
   */
  async of(host: string): Promise<readonly string[]> {
    const [four, six] = await Promise.allSettled([this.resolver.resolve4(host), this.resolver.resolve6(host)]);
    const found = [four, six].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length === 0 && four.status === 'rejected') throw four.reason;
    return found;
  }

  /** Resolves the name of a host that the operator trusts as every program of this machine does. */
  async ofTrusted(host: string): Promise<readonly string[]> {
    const name = host.replace(/^\[(.*)\]$/, '$1');
    return isIP(name) === 0 ? (await lookup(name, { all: true })).map(({ address }) => address) : [name];
  }
}
