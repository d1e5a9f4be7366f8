import { Injectable } from '@nestjs/common';
import { type ClusterActivity, HostedEngine } from '../hosted-engine.js';
import { ClusterHome } from '../own/cluster-home.js';
import { ServerEngine } from './server-engine.js';
import { TenantConnections } from './tenant-connections.js';
import { TenantServer } from './tenant-server.js';

/** Opens and closes the engine on the operator's server. Its directory holds the id of this host and nothing else. */
@Injectable()
export class ServerHost extends HostedEngine {
  readonly kind = 'server';

  constructor(
    private readonly home: ClusterHome,
    private readonly server: TenantServer,
    private readonly engine: ServerEngine,
    private readonly connections: TenantConnections,
  ) {
    super();
  }

  override get hostId(): string | undefined {
    return this.home.hostId;
  }

  override get activities(): readonly ClusterActivity[] {
    return this.connections.activities;
  }

  override get count(): number {
    return this.activities.length;
  }

  override open(): Promise<string> {
    return this.home.open();
  }

  override async missing(): Promise<readonly string[]> {
    return this.server.ask('SELECT 1').then(
      () => [],
      () => ['an answer of the server in TENANT_DATABASES_URL'],
    );
  }

  override async version(): Promise<string> {
    const [row] = await this.server.ask<{ server_version: string }>('SHOW server_version').catch(() => []);
    return row?.server_version.split(' ')[0] ?? '';
  }

  override async measureAwake(): Promise<void> {
    for (const { clusterId, connections } of this.activities)
      if (connections > 0) await this.engine.measure(clusterId).catch(() => undefined);
  }

  override forget(clusterId: string): void {
    this.connections.forget(clusterId);
  }

  override close(): Promise<void> {
    this.connections.endAll();
    this.home.close();
    return Promise.resolve();
  }
}
