import { Injectable } from '@nestjs/common';
import { ClusterAllowances } from '../engine/cluster-allowances.js';
import { ClusterHome } from '../engine/own/cluster-home.js';
import { ClusterStarter } from '../engine/own/cluster-starter.js';

/** The settings of servers that are started on prepared clusters. */
@Injectable()
export class PreparedSettings {
  constructor(
    private readonly home: ClusterHome,
    private readonly allowances: ClusterAllowances,
    private readonly starter: ClusterStarter,
  ) {}

  async write(clusterId: string): Promise<void> {
    await this.starter.configure({
      directory: this.home.directoryOf(clusterId),
      limits: await this.allowances.of(clusterId),
      restriction: 'none',
    });
  }
}
