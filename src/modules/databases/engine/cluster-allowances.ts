import { Injectable } from '@nestjs/common';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { PLANS } from '../../plans/plan.js';
import { ClustersStore } from '../persistence/clusters.store.js';
import type { ClusterLimits } from './database-engine.js';

const MEBIBYTE = 1_048_576;
const GIGABYTE = 1_000_000_000;

/** The limits of clusters, by the plan of the organization whose database it is. */
@Injectable()
export class ClusterAllowances {
  constructor(
    private readonly clusters: ClustersStore,
    private readonly orgs: OrgDirectory,
  ) {}

  async of(clusterId: string): Promise<ClusterLimits> {
    const orgId = await this.clusters.orgOf(clusterId);
    const plan = orgId === undefined ? undefined : await this.orgs.planOf(orgId);
    const { connections, memoryMib, gigabytes } = PLANS[plan ?? 'free'].databases;
    return { maxConnections: connections, memoryBytes: memoryMib * MEBIBYTE, diskBytes: gigabytes * GIGABYTE };
  }
}
