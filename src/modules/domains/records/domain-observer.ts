import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { challengeHostOf, challengeValueOf } from '../../dns/domain-challenge.js';
import { isFault, readDomainName } from '../../dns/domain-name.js';
import { RecordLookup } from '../../dns/record-lookup.js';
import type { CheckProblem, Observation, Routing } from '../claims/domain-state.js';
import { DomainRecords } from './domain-records.js';

/** Only this much of what a zone holds is kept and shown. */
const SHOWN_RECORDS = 10;
const SHOWN_CHARACTERS = 255;
/** The label that stands for any name below a wildcard. */
const PROBE_LABEL = 'service-check';

/** An observation, with all tokens that the zone shows. */
export interface FullObservation extends Observation {
  /** True when the zone shows this token. */
  readonly shows: (challengeToken: string) => boolean;
}

/** Looks up whether a domain is proved and where it leads. It asks name servers, so no transaction may be open. */
@Injectable()
export class DomainObserver {
  constructor(
    private readonly records: DomainRecords,
    private readonly lookup: RecordLookup,
  ) {}

  /** @param ascii the name of a domain, which may have become a public suffix since it was added. */
  async observe(ascii: string, challengeToken: string): Promise<FullObservation> {
    const name = readDomainName(ascii, () => false);
    if (isFault(name)) return NOTHING_FOUND;
    const host = name.isWildcard ? `${PROBE_LABEL}.${name.host}` : name.host;
    const [txt, cname, a, aaaa] = await Promise.all([
      this.lookup.find(challengeHostOf(name), 'TXT'),
      this.lookup.find(host, 'CNAME'),
      this.lookup.find(host, 'A'),
      this.lookup.find(host, 'AAAA'),
    ]);
    const routing = await this.routingOf(cname, a, aaaa);
    const shows = (token: string): boolean => txt?.some((value) => value.trim() === challengeValueOf(token)) ?? false;
    const isProved = shows(challengeToken);
    const isUnknown = txt === undefined || (isProved && routing === 'unknown');
    return {
      shows,
      isUnknown,
      isProved,
      routing,
      problem: problemOf({ isUnknown, isProved, routing }),
      seen: { txt: shown(txt), cname: shown(cname), a: shown(a), aaaa: shown(aaaa), isProved, routing },
    };
  }

  private async routingOf(
    cname: readonly string[] | undefined,
    a: readonly string[] | undefined,
    aaaa: readonly string[] | undefined,
  ): Promise<Routing> {
    if (cname?.some((target) => this.records.isOurHost(target)) === true) return 'here';
    if (cname === undefined || a === undefined || aaaa === undefined) return 'unknown';
    const addresses = [...a, ...aaaa].map(plain);
    if (addresses.length === 0) return cname.length === 0 ? 'missing' : 'elsewhere';
    const ours = await this.ourAddresses();
    if (ours === undefined) return 'unknown';
    // One foreign address is enough for a part of the visitors to arrive elsewhere.
    return addresses.every((address) => ours.has(address)) ? 'here' : 'elsewhere';
  }

  private async ourAddresses(): Promise<ReadonlySet<string> | undefined> {
    const { addresses, cnameTarget } = this.records;
    if (addresses.length > 0) return new Set(addresses.map(plain));
    const [a, aaaa] = await Promise.all([this.lookup.find(cnameTarget, 'A'), this.lookup.find(cnameTarget, 'AAAA')]);
    return a === undefined || aaaa === undefined ? undefined : new Set([...a, ...aaaa].map(plain));
  }
}

const NOTHING_FOUND: FullObservation = {
  shows: () => false,
  isUnknown: false,
  isProved: false,
  routing: 'missing',
  problem: 'challenge_missing',
  seen: { txt: [], cname: [], a: [], aaaa: [], isProved: false, routing: 'missing' },
};

function problemOf({
  isUnknown,
  isProved,
  routing,
}: Pick<Observation, 'isUnknown' | 'isProved' | 'routing'>): CheckProblem | null {
  if (isUnknown) return 'resolver_unavailable';
  if (!isProved) return 'challenge_missing';
  if (routing === 'here') return null;
  return routing === 'missing' ? 'records_missing' : 'records_elsewhere';
}

const plain = (address: string): string => ipaddr.process(address).toString();

/** PostgreSQL stores no NUL, and a zone may hold any bytes. */
const shown = (values: readonly string[] | undefined): string[] =>
  (values ?? [])
    .slice(0, SHOWN_RECORDS)
    .map((value) => value.slice(0, SHOWN_CHARACTERS).replace(/[\p{Cc}\p{Cs}]/gu, '?'));
