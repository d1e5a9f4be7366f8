import { Injectable } from '@nestjs/common';
import type { ShownDeploy } from '../persistence/aliases.store.js';
import type { CustomHost } from '../persistence/custom-host.entity.js';
import { AliasCache } from './alias-cache.js';
import { CustomHostCache } from './custom-host-cache.js';

/** A host that a request may be for. */
export interface AppHost {
  readonly host: string;
  /** The label before the apps' domain, or undefined for a host that may be a customer's own. */
  readonly label: string | undefined;
}

/** What a host leads to. */
export interface Place extends AppHost {
  /** Undefined below the apps' domain. */
  readonly custom: CustomHost | undefined;
  /** The deploy that is served, or null while there is none. */
  readonly shown: ShownDeploy | null;
}

/** Finds what hosts lead to. A custom host serves the production deploy of its project. */
@Injectable()
export class HostLookup {
  constructor(
    private readonly aliases: AliasCache,
    private readonly customHosts: CustomHostCache,
  ) {}

  /** Returns what the first known host leads to without waiting, or undefined when the database must be queried. */
  known(hosts: readonly AppHost[]): Place | null | undefined {
    for (const { host, label } of hosts) {
      if (label !== undefined) return placeOf({ host, label }, undefined, this.aliases.known(label));
      const custom = this.customHosts.known(host);
      if (custom === undefined) return undefined;
      if (custom !== null) return placeOf({ host, label }, custom, this.aliases.knownProduction(custom.projectId));
    }
    return null;
  }

  /** Returns what the first known host leads to, or null when all are unknown. */
  async find(hosts: readonly AppHost[]): Promise<Place | null> {
    for (const { host, label } of hosts) {
      if (label !== undefined) return { host, label, custom: undefined, shown: await this.shownBy(label) };
      const known = this.customHosts.known(host);
      const custom = known === undefined ? await this.customHosts.find(host) : known;
      if (custom !== null) return { host, label, custom, shown: await this.shownInProduction(custom.projectId) };
    }
    return null;
  }

  private async shownBy(label: string): Promise<ShownDeploy | null> {
    const known = this.aliases.known(label);
    return known === undefined ? this.aliases.find(label) : known;
  }

  private async shownInProduction(projectId: string): Promise<ShownDeploy | null> {
    const known = this.aliases.knownProduction(projectId);
    return known === undefined ? this.aliases.findProduction(projectId) : known;
  }
}

const placeOf = (
  { host, label }: AppHost,
  custom: CustomHost | undefined,
  shown: ShownDeploy | null | undefined,
): Place | undefined => (shown === undefined ? undefined : { host, label, custom, shown });
