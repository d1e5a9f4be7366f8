import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DatabaseRemovals } from '../operations/database-removals.js';
import { ExpiredBackups } from './expired-backups.js';

/** Removes the backups of a database with its data. */
@Injectable()
export class BackupRemoval implements OnApplicationBootstrap {
  constructor(
    private readonly removals: DatabaseRemovals,
    private readonly backups: ExpiredBackups,
  ) {}

  onApplicationBootstrap(): void {
    this.removals.add(({ cluster_id: clusterId }) => this.backups.deleteCluster(clusterId));
  }
}
