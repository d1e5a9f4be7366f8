import { Injectable } from '@nestjs/common';
import { type ClusterActivity, HostedEngine } from '../hosted-engine.js';
import { ClusterHome } from './cluster-home.js';
import { ClusterPrograms } from './cluster-programs.js';
import { ClusterRest } from './cluster-rest.js';
import { Clusters } from './clusters.js';
import { EarlierServers } from './earlier-servers.js';
import { OwnActivity } from './own-activity.js';
import { SpareClusters } from './spare-clusters.js';

/** Opens and closes the own engine. */
@Injectable()
export class OwnEngineHost extends HostedEngine {
  readonly kind = 'own';
  private opening: Promise<string> | undefined;

  constructor(
    private readonly home: ClusterHome,
    private readonly programs: ClusterPrograms,
    private readonly earlier: EarlierServers,
    private readonly clusters: Clusters,
    private readonly rest: ClusterRest,
    private readonly spares: SpareClusters,
    private readonly activity: OwnActivity,
  ) {
    super();
  }

  override get activities(): readonly ClusterActivity[] {
    return this.activity.all;
  }

  override get count(): number {
    return this.activity.count;
  }

  override get hostId(): string | undefined {
    return this.home.hostId;
  }

  override open(): Promise<string> {
    this.opening ??= this.openOnce().catch((error: unknown) => {
      this.opening = undefined;
      this.home.close();
      throw error;
    });
    return this.opening;
  }

  override async missing(): Promise<readonly string[]> {
    const missing = this.programs.missing();
    if (missing.length > 0) return missing;
    try {
      await this.programs.installation();
      return [];
    } catch (error) {
      return [error instanceof Error ? error.message : 'PostgreSQL'];
    }
  }

  override async version(): Promise<string> {
    return this.programs.installation().then(
      ({ version }) => version,
      () => '',
    );
  }

  override measureAwake(): Promise<void> {
    return this.activity.measure();
  }

  override forget(clusterId: string): void {
    this.activity.forget(clusterId);
  }

  override async close(): Promise<void> {
    await this.opening?.catch(() => undefined);
    await this.rest.stop();
    await Promise.all([this.clusters.close(), this.spares.close()]);
    this.home.close();
  }

  private async openOnce(): Promise<string> {
    const hostId = await this.home.open();
    await this.earlier.end();
    this.rest.start();
    void this.spares.begin();
    return hostId;
  }
}
