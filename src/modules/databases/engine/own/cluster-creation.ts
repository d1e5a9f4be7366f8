import { Injectable } from '@nestjs/common';
import { ClusterFiles } from './cluster-files.js';
import { ClusterHome } from './cluster-home.js';
import { ClusterRecords } from './cluster-records.js';
import { CLUSTER } from './cluster-settings.js';
import { SpareClusters } from './spare-clusters.js';

const PARENT = '/parent';

/** Creates and removes the files of clusters: all of them or nothing. */
@Injectable()
export class ClusterCreation {
  constructor(
    private readonly home: ClusterHome,
    private readonly records: ClusterRecords,
    private readonly files: ClusterFiles,
    private readonly spares: SpareClusters,
  ) {}

  async create(clusterId: string): Promise<void> {
    if ((await this.records.find(clusterId)) !== undefined) return;
    const directory = this.home.directoryOf(clusterId);
    await this.files.remove(directory);
    await this.spares.take(directory);
  }

  async prepare(clusterId: string): Promise<void> {
    await this.home.makeDirectories(this.home.directoryOf(clusterId));
  }

  /**
   * What was restored may be older than the guard.
   *
   * @param like the cluster whose contents these are, or were at an earlier time
   */
  async complete(clusterId: string, like: string): Promise<void> {
    const parent = await this.records.find(like);
    if (parent === undefined) throw new Error('The parent has no data on this host.');
    await this.records.write(this.home.directoryOf(clusterId), { ...parent, restriction: 'none', guard: 0 });
  }

  /** Copies a cluster whose server does not run. */
  async copy(parentId: string, clusterId: string): Promise<void> {
    if ((await this.records.find(clusterId)) !== undefined) return;
    const directory = this.home.directoryOf(clusterId);
    await this.files.remove(directory);
    await this.home.makeDirectories(directory);
    await this.files.run(directory, `cp -a --reflink=auto ${PARENT}/data ${CLUSTER}/data && mkdir ${CLUSTER}/archive`, [
      { from: this.files.filesOf(this.home.directoryOf(parentId)), to: PARENT },
    ]);
    await this.complete(clusterId, parentId);
  }

  async remove(clusterId: string): Promise<void> {
    await this.files.remove(this.home.directoryOf(clusterId));
  }
}
