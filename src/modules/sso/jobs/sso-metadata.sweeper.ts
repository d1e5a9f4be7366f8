import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { MetadataRefresh } from '../connections/metadata-refresh.js';
import type { SsoConnection } from '../connections/sso-connection.js';
import { SsoConnectionsStore } from '../persistence/sso-connections.store.js';
import { ssoMetadataSchedule } from './sso.job.js';

const DAY_MS = 86_400_000;
/** Providers that do not answer take ten seconds, so this many at once and in a run keep it within minutes. */
const AT_ONCE = 10;
const BATCHES_IN_A_RUN = 20;

/** Reads metadata whose day is over. */
@Injectable()
@Handles(ssoMetadataSchedule)
export class SsoMetadataSweeper implements ScheduleHandler {
  constructor(
    private readonly connections: SsoConnectionsStore,
    private readonly metadata: MetadataRefresh,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async run(stopping: AbortSignal): Promise<void> {
    const before = new Date(this.clock.now().getTime() - DAY_MS);
    const readBatch = async (limit: number): Promise<number> => {
      const due = await this.connections.metadataDue(before, limit);
      await Promise.all(due.map((connection) => this.refresh(connection)));
      return due.length;
    };
    await inBatches(readBatch, { size: AT_ONCE, most: BATCHES_IN_A_RUN, stopping });
  }

  /** One connection that cannot be saved must not keep the others from it. */
  private async refresh(connection: SsoConnection): Promise<void> {
    if (connection.type !== 'saml' || connection.saml.metadataUrl === null) return;
    try {
      await this.metadata.refresh(connection, connection.saml.metadataUrl);
    } catch (error) {
      this.log.error({ error, connectionId: connection.id }, 'Could not refresh the metadata of an SSO connection.');
    }
  }
}
