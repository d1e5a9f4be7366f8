import { Injectable } from '@nestjs/common';
import { ClusterAllowances } from '../cluster-allowances.js';
import type { Restriction } from '../database-engine.js';
import type { Cluster } from './cluster.js';
import { ClusterHome } from './cluster-home.js';
import { type ClusterRecord, ClusterRecords } from './cluster-records.js';
import { ClusterStarter } from './cluster-starter.js';

const RELOAD = 'SELECT pg_reload_conf()';
const END_OWNER = "SELECT count(pg_terminate_backend(pid))::int AS ended FROM pg_stat_activity WHERE usename = 'owner'";
/** A session has a transaction id only once it has written. */
const END_WRITERS = `${END_OWNER} AND backend_xid IS NOT NULL`;

/** Sets what a cluster refuses. It is kept beside the data, and its server cannot change it. */
@Injectable()
export class ClusterRestrictions {
  constructor(
    private readonly home: ClusterHome,
    private readonly records: ClusterRecords,
    private readonly starter: ClusterStarter,
    private readonly allowances: ClusterAllowances,
  ) {}

  async set(cluster: Cluster, restriction: Restriction): Promise<void> {
    const known = await this.records.find(cluster.id);
    if (known === undefined || known.restriction === restriction) return;
    const isApplied = await this.applyIfAwake(cluster, known, restriction);
    // It is written last, so that a call that fails is repeated.
    await this.records.change(cluster.id, { restriction });
    // A server that was started meanwhile may have got what was written before.
    if (!isApplied) await this.applyIfAwake(cluster, known, restriction);
  }

  async endWriters(cluster: Cluster): Promise<number> {
    if (!cluster.isRunning) return 0;
    const { rows } = await cluster.ask((client) => client.query<{ ended: unknown }>(END_WRITERS));
    const ended = rows[0]?.ended;
    return typeof ended === 'number' ? ended : 0;
  }

  private async applyIfAwake(cluster: Cluster, { bytes }: ClusterRecord, restriction: Restriction): Promise<boolean> {
    if (!cluster.isAwake) return false;
    const directory = this.home.directoryOf(cluster.id);
    const limits = await this.allowances.of(cluster.id);
    await cluster.hold(async (server) => {
      await this.starter.configure({ directory, limits, dataBytes: Number(bytes), restriction });
      await server.asPlatform(async (client) => {
        await client.query(RELOAD);
        if (restriction !== 'none') await client.query(END_OWNER);
      });
    });
    return true;
  }
}
