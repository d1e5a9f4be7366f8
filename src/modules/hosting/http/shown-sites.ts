import { Injectable } from '@nestjs/common';
import { type AppHost, HostLookup, type Place } from '../site/host-lookup.js';
import { type LoadedSite, Sites } from '../site/sites.js';

/** What a host leads to, and the deploy that it serves if its files are there. */
export interface ShownSite {
  readonly place: Place | null;
  readonly loaded: LoadedSite | null;
}

/** Finds the deploys of hosts. */
@Injectable()
export class ShownSites {
  constructor(
    private readonly lookup: HostLookup,
    private readonly sites: Sites,
  ) {}

  /** Returns what the first known host leads to without waiting, or undefined when the database must be queried. */
  knownPlace(hosts: readonly AppHost[]): Place | null | undefined {
    return this.lookup.known(hosts);
  }

  /** Returns a deploy that is in memory. */
  known(deployId: string): LoadedSite | undefined {
    return this.sites.known(deployId);
  }

  /** @param known is the result of {@link knownPlace}, if the caller has it already. */
  async find(
    hosts: readonly AppHost[],
    known: Place | null | undefined = this.lookup.known(hosts),
  ): Promise<ShownSite> {
    const place = known === undefined ? await this.lookup.find(hosts) : known;
    const deployId = place?.shown?.deployId;
    return { place, loaded: deployId === undefined ? null : await this.load(deployId) };
  }

  /** Returns null when the deploy cannot be served yet, or no longer. */
  async load(deployId: string): Promise<LoadedSite | null> {
    return this.sites.known(deployId) ?? (await this.sites.find(deployId));
  }
}
