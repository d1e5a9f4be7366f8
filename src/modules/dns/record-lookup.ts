import { Resolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';
import { DnsSettings } from './dns.settings.js';

const TIMEOUT_MS = 2_000;
const TRIES = 2;
/** A zone can hold many records. More are neither compared nor shown. */
const MAX_RECORDS = 100;
/** c-ares waits longer with each try and asks each server; nothing may take longer than this. */
const DEADLINE_MS = 10_000;
/** The name does not exist, or it has no record of the type. */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA']);

type RecordType = 'TXT' | 'CNAME' | 'A' | 'AAAA';

/** Asks name servers for records. Time-outs, tries and results are bounded, because owners of zones control them. */
@Injectable()
export class RecordLookup {
  constructor(private readonly settings: DnsSettings) {}

  /** Returns the records, none when there are none, or undefined when the name servers could not be asked. */
  async find(host: string, type: RecordType): Promise<readonly string[] | undefined> {
    // A resolver of its own for each lookup, so that it can be canceled.
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    if (this.settings.resolver !== undefined) resolver.setServers([...this.settings.resolver]);
    const deadline = setTimeout(() => {
      resolver.cancel();
    }, DEADLINE_MS);
    try {
      return (await ask(resolver, host, type)).slice(0, MAX_RECORDS);
    } catch (error) {
      return ABSENT.has((error as NodeJS.ErrnoException).code ?? '') ? [] : undefined;
    } finally {
      clearTimeout(deadline);
    }
  }
}

async function ask(resolver: Resolver, host: string, type: RecordType): Promise<string[]> {
  switch (type) {
    case 'TXT':
      return (await resolver.resolveTxt(host)).map((parts) => parts.join(''));
    case 'CNAME':
      return (await resolver.resolveCname(host)).map((name) => name.toLowerCase().replace(/\.$/, ''));
    case 'A':
      return resolver.resolve4(host);
    case 'AAAA':
      return resolver.resolve6(host);
  }
}
