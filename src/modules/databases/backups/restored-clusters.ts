import { Injectable } from '@nestjs/common';
import { ClusterHome } from '../engine/own/cluster-home.js';
import { ClusterRecords } from '../engine/own/cluster-records.js';
import { OwnEngine } from '../engine/own/own-engine.js';
import { DatabasesStore } from '../persistence/databases.store.js';
import { PlatformSessions } from './platform-sessions.js';

/** Makes recovered data a database that answers. */
@Injectable()
export class RestoredClusters {
  constructor(
    private readonly databases: DatabasesStore,
    private readonly engine: OwnEngine,
    private readonly home: ClusterHome,
    private readonly records: ClusterRecords,
    private readonly sessions: PlatformSessions,
  ) {}

  async complete(clusterId: string, sourceId: string): Promise<void> {
    if ((await this.records.find(sourceId)) === undefined) await this.record(clusterId);
    else await this.engine.complete(clusterId, sourceId);
    // It answers, and its size is that of the restored data.
    await this.sessions.run(clusterId, () => this.engine.measure(clusterId));
  }

  /** The source was on another machine, so its row alone says how large an empty database was. */
  private async record(clusterId: string): Promise<void> {
    const row = await this.databases.findByCluster(clusterId);
    const emptyBytes = row?.empty_bytes ?? '0';
    const record = { emptyBytes, bytes: emptyBytes, restriction: 'none' } as const;
    await this.records.write(this.home.directoryOf(clusterId), record);
  }
}
