import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { DatabasesSettings } from '../databases.settings.js';
import { DatabaseHostsStore } from '../persistence/database-hosts.store.js';
import type { DatabaseAddress } from './database-address.js';

/** The host and port at which clients of PostgreSQL reach project databases. */
@Injectable()
export class PublicAddress {
  readonly host: string;
  private readonly port: number;

  constructor(
    config: Config,
    settings: DatabasesSettings,
    private readonly hosts: DatabaseHostsStore,
  ) {
    this.host = settings.publicAddress?.host ?? new URL(config.publicUrl).hostname;
    this.port = settings.publicAddress?.port ?? settings.port;
  }

  /** Returns the address of the databases of each host. Where the settings let a host pick its port, it has said it. */
  async of(hostIds: readonly string[]): Promise<(hostId: string) => DatabaseAddress> {
    const { host, port } = this;
    if (port !== 0) return () => ({ host, port });
    const picked = await this.hosts.portsOf([...new Set(hostIds)]);
    return (hostId) => ({ host, port: picked.get(hostId) ?? port });
  }
}
