import type { Duplex } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { IsolatedProgram } from '../../../../platform/isolation/isolated-program.js';
import { DatabaseUnavailable } from '../../databases.errors.js';
import { DatabaseEngine, type Measured, type Restriction } from '../database-engine.js';
import { ClusterCreation } from './cluster-creation.js';
import { ClusterPrograms, type ProgramSpec } from './cluster-programs.js';
import { ClusterHome } from './cluster-home.js';
import { ClusterRestrictions } from './cluster-restrictions.js';
import { ClusterSizes } from './cluster-sizes.js';
import { ClusterSleep } from './cluster-sleep.js';
import { Clusters } from './clusters.js';

export type ClusterRun = Omit<ProgramSpec, 'directory'>;

/** A PostgreSQL of its own for each database, in an isolation of its own, asleep while nobody uses it. */
@Injectable()
export class OwnEngine extends DatabaseEngine {
  readonly kind = 'own';
  readonly can = { branch: true, restore: true };

  constructor(
    private readonly clusters: Clusters,
    private readonly creation: ClusterCreation,
    private readonly sleeping: ClusterSleep,
    private readonly sizes: ClusterSizes,
    private readonly restrictions: ClusterRestrictions,
    private readonly programs: ClusterPrograms,
    private readonly home: ClusterHome,
  ) {
    super();
  }

  override create(clusterId: string): Promise<void> {
    return this.creation.create(clusterId);
  }

  /** Creates the directories of a cluster whose data programs bring, until {@link complete}. */
  prepare(clusterId: string): Promise<void> {
    return this.creation.prepare(clusterId);
  }

  /** Makes a prepared cluster a database, which can be connected to. */
  complete(clusterId: string, like: string): Promise<void> {
    return this.creation.complete(clusterId, like);
  }

  override async connect(clusterId: string): Promise<Duplex> {
    try {
      return await this.clusters.of(clusterId).connect();
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      throw new DatabaseUnavailable('The database does not answer.', { cause: error });
    }
  }

  override sleep(clusterId: string): Promise<void> {
    return this.sleeping.now(this.clusters.of(clusterId));
  }

  override measure(clusterId: string): Promise<Measured> {
    return this.sizes.measure(this.clusters.of(clusterId));
  }

  override restrict(clusterId: string, restriction: Restriction): Promise<void> {
    return this.restrictions.set(this.clusters.of(clusterId), restriction);
  }

  override endWriters(clusterId: string): Promise<number> {
    return this.restrictions.endWriters(this.clusters.of(clusterId));
  }

  override clone(parentId: string, clusterId: string): Promise<void> {
    return this.clusters.of(parentId).whileStopped(() => this.creation.copy(parentId, clusterId));
  }

  override async drop(clusterId: string): Promise<void> {
    const cluster = this.clusters.of(clusterId);
    await cluster.whileStopped(() => this.creation.remove(clusterId));
    this.clusters.forget(cluster);
  }

  /**
   * Starts a program in an isolation that sees the files of the cluster in `/data` and `/archive`, whether its server
   * runs or not. The caller waits for the end of the program, and ends it when it is no longer needed.
   */
  async run(clusterId: string, run: ClusterRun): Promise<IsolatedProgram> {
    return this.programs.launch({ ...run, directory: this.home.directoryOf(clusterId) });
  }

  /** Runs `work` while the server is stopped. Clients wait. */
  whileStopped<Answer>(clusterId: string, work: () => Promise<Answer>): Promise<Answer> {
    return this.clusters.of(clusterId).whileStopped(work);
  }

  /** True when the cluster has a server. */
  isAwake(clusterId: string): boolean {
    return this.clusters.of(clusterId).isAwake;
  }
}
