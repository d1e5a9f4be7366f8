import { Injectable } from '@nestjs/common';
import { AliasChanges } from '../persistence/alias-changes.js';
import { customHostOfKey } from '../persistence/alias-keys.js';
import type { CustomHost } from '../persistence/custom-host.entity.js';
import { CustomHostsStore } from '../persistence/custom-hosts.store.js';
import { NotifiedCache } from './notified-cache.js';

/** Caches which project each custom host serves. It is apart from labels, so that neither can displace the other. */
@Injectable()
export class CustomHostCache {
  private readonly cache: NotifiedCache<CustomHost>;

  constructor(hosts: CustomHostsStore, changes: AliasChanges) {
    this.cache = new NotifiedCache((host) => hosts.find(host));
    changes.listen({
      changed: (key) => {
        this.changed(key);
      },
      hears: (hearing) => {
        this.cache.hears(hearing);
      },
    });
  }

  /** Returns the entry of a host without waiting, or undefined when the database must be queried. */
  known(host: string): CustomHost | null | undefined {
    return this.cache.known(host);
  }

  /** Returns null for a host that no project serves. */
  find(host: string): Promise<CustomHost | null> {
    return this.cache.find(host);
  }

  private changed(key: string): void {
    const name = customHostOfKey(key);
    if (name === undefined) return;
    if (!name.startsWith('*')) this.cache.changed(name);
    else this.cache.changedWhere((host) => host.endsWith(name.slice(1)));
  }
}
