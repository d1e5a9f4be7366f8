import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { type RestorableTime, RestorableTimes } from '../domain/restorable-times.js';
import type { DatabaseRow } from '../persistence/database-rows.js';
import { WalArchivesStore } from '../persistence/wal-archives.store.js';

/** Says which moments databases can be restored to. */
@Injectable()
export class RestorableWindows implements OnApplicationBootstrap {
  constructor(
    private readonly times: RestorableTimes,
    private readonly archives: WalArchivesStore,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.times.setSource((rows) => this.of(rows));
  }

  async of(rows: readonly DatabaseRow[]): Promise<Map<string, RestorableTime>> {
    const archives = await this.archives.archives(rows.map(({ cluster_id }) => cluster_id));
    const byCluster = new Map(archives.map((archive) => [archive.clusterId, archive]));
    const windows = rows.map((row): [string, RestorableTime] => {
      const { restorableFrom: from, completeUntil } = byCluster.get(row.cluster_id) ?? NOTHING;
      // A restore first stores what a database has logged so far, as long as it runs.
      const until = row.state === 'ready' ? this.clock.now() : completeUntil;
      return [row.id, from === null || until === null || from > until ? NONE : { from, until }];
    });
    return new Map(windows);
  }
}

const NONE: RestorableTime = { from: null, until: null };
const NOTHING = { restorableFrom: null, completeUntil: null };
