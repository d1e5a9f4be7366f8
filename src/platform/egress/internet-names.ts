import { Resolver } from 'node:dns/promises';

import { type DnsRecord, TYPES } from './dns-message.js';
import { type NameAnswer } from './name-server.js';

/**
 * Labels of letters, digits, hyphens and underscores. The last one begins with a letter, so that the name is not a
 * spelling of an IP address.
 */
const NAME = /^(?:[a-z0-9_-]{1,63}\.)*[a-z][a-z0-9-]{0,62}$/;
const TIMEOUT_MS = 2_000;
const TRIES = 2;
/** An answer over UDP has 512 bytes. */
const MOST_RECORDS = 12;
const TTL_SECONDS = 60;

const EMPTY: NameAnswer = { code: 'found', records: [] };
const ABSENT: NameAnswer = { code: 'absent', records: [] };

/**
 * The names of the internet, asked from the name servers of this machine. The file of hosts of the machine is not read,
 * and no thread waits for an answer.
 */
export class InternetNames {
  private readonly resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });

  /** @param servers the name servers, such as `127.0.0.1:5353`, instead of those of the machine. */
  constructor(servers?: readonly string[]) {
    if (servers !== undefined) this.resolver.setServers(servers);
  }

  /**
   * Returns the records of a name. If one of its addresses may not be reached, the name does not exist: a name that
   * leads inside is none that a program should know.
   */
  async answer(name: string, type: number, mayReach: (address: string) => boolean): Promise<NameAnswer> {
    if (!NAME.test(name)) return ABSENT;
    try {
      const records = await this.records(name, type);
      if (records.some((record) => record.type === 'A' && !mayReach(record.address))) return ABSENT;
      return { code: 'found', records: records.slice(0, MOST_RECORDS) };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENODATA') return EMPTY;
      return code === 'ENOTFOUND' ? ABSENT : { code: 'failed', records: [] };
    }
  }

  private async records(name: string, type: number): Promise<DnsRecord[]> {
    const ttl = TTL_SECONDS;
    switch (type) {
      case TYPES.A:
        return (await this.resolver.resolve4(name, { ttl: true })).map((each) => ({ type: 'A', ...each }));
      case TYPES.MX:
        return (await this.resolver.resolveMx(name)).map((each) => ({ type: 'MX', ttl, ...each }));
      case TYPES.TXT:
        return (await this.resolver.resolveTxt(name)).map((entries) => ({ type: 'TXT', ttl, entries }));
      case TYPES.SRV:
        return (await this.resolver.resolveSrv(name)).map((each) => ({ type: 'SRV', ttl, ...each }));
      default:
        // Above all addresses of IPv6, which apps do not have. Nothing of that type exists.
        return [];
    }
  }
}
