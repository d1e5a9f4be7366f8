import { Injectable } from '@nestjs/common';
import { isHostName } from '../../platform/config/hosts.js';
import { Clock } from '../../platform/time/clock.js';
import { HostingSettings } from './hosting.settings.js';
import { CustomHostsStore } from './persistence/custom-hosts.store.js';

/** What a custom host does. */
export interface CustomHostTarget {
  readonly projectId: string;
  readonly orgId: string;
  /** The host that visitors are sent to instead, or null to serve the production deploy of the project. */
  readonly redirectTo: string | null;
  /** Whether visitors who come over http are sent to https. */
  readonly httpsRedirect: boolean;
  /** Whether browsers are instructed to use only https from now on. */
  readonly hsts: boolean;
}

/**
 * Serves projects under the host names of customers. The caller has proved that the name is the customer's; hosting
 * does not ask.
 */
@Injectable()
export class CustomHostsService {
  constructor(
    private readonly hosts: CustomHostsStore,
    private readonly settings: HostingSettings,
    private readonly clock: Clock,
  ) {}

  /**
   * Serves the project under the name when the current transaction commits, until {@link release}. It follows promotes
   * and rollbacks. Every process sees the change within 100 ms. `*.example.com` stands for all names one level below,
   * except those that have an entry of their own.
   */
  async serve(name: string, target: CustomHostTarget): Promise<void> {
    await this.hosts.put({ ...target, name, updatedAt: this.clock.now() });
  }

  /**
   * Stops serving the project under the name when the current transaction commits. A name that serves another project,
   * or none, stays as it is.
   */
  async release(name: string, projectId: string): Promise<void> {
    await this.hosts.remove(name, projectId);
  }

  /** Returns the URL of a host that serves the project, and undefined for a host that does not or that redirects. */
  async urlOf(host: string, projectId: string): Promise<string | undefined> {
    const custom = isHostName(host) ? await this.hosts.find(host) : null;
    if (custom?.projectId !== projectId || custom.redirectTo !== null) return undefined;
    const { scheme, port } = this.settings.appsUrl;
    return `${scheme}//${host}${port}`;
  }
}
