import { Injectable } from '@nestjs/common';
import { DatabaseUnavailable } from '../../databases.errors.js';
import { ClusterAllowances } from '../cluster-allowances.js';
import { GUARD_VERSION } from '../read-only-guard.js';
import { guardCluster } from './cluster-guard.js';
import { ClusterHome } from './cluster-home.js';
import { ClusterPrograms } from './cluster-programs.js';
import { ClusterRecords } from './cluster-records.js';
import type { ClusterServer } from './cluster-server.js';
import { ClusterStarter, type StartInput } from './cluster-starter.js';

const RELOAD = 'SELECT pg_reload_conf()';

/** Starts the servers of clusters that have data, with the limits of their plans and behind the guard. */
@Injectable()
export class ClusterOpening {
  constructor(
    private readonly home: ClusterHome,
    private readonly records: ClusterRecords,
    private readonly starter: ClusterStarter,
    private readonly programs: ClusterPrograms,
    private readonly allowances: ClusterAllowances,
  ) {}

  /** @throws {DatabaseUnavailable} when the cluster has no data on this host. */
  async inputOf(clusterId: string): Promise<StartInput> {
    const record = await this.records.find(clusterId);
    if (record === undefined) throw new DatabaseUnavailable('The database has no data on this host.');
    const limits = await this.allowances.of(clusterId);
    const { restriction, bytes } = record;
    return { directory: this.home.directoryOf(clusterId), limits, dataBytes: Number(bytes), restriction };
  }

  /** A cluster of an earlier release, or one that was restored from its backup, gets its guard before any client. */
  async start(clusterId: string, input: StartInput): Promise<ClusterServer> {
    const record = await this.records.find(clusterId);
    if (record?.guard === GUARD_VERSION) return this.starter.start(input);
    const { countsStatements } = await this.programs.installation();
    const server = await this.starter.start({ ...input, entersApp: true });
    try {
      await guardCluster(server, countsStatements);
      await this.starter.configure(input);
      await server.asPlatform((client) => client.query(RELOAD));
      await this.records.change(clusterId, { guard: GUARD_VERSION });
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }
}
