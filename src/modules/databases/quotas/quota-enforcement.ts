import { Injectable } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import { DatabaseEngine } from '../engine/database-engine.js';
import { OperatingHost } from '../operations/operating-host.js';
import { DatabaseSizesStore } from '../persistence/database-sizes.store.js';
import { DatabaseQuotas, type DecidedDatabase } from './database-quotas.js';

/** Puts in force what was decided on the databases of this host. */
@Injectable()
export class QuotaEnforcement {
  constructor(
    private readonly host: OperatingHost,
    private readonly quotas: DatabaseQuotas,
    private readonly sizes: DatabaseSizesStore,
    private readonly engine: DatabaseEngine,
    private readonly log: Log,
  ) {}

  /** One database that does not obey keeps no other from being restricted. */
  async enforce(stopping: AbortSignal): Promise<void> {
    if (this.host.id === undefined) return;
    for await (const decided of this.quotas.decide(this.host.id, stopping)) {
      await this.apply(decided).catch((error: unknown) => {
        this.log.warn({ databaseId: decided.id, error }, 'A database could not be restricted. It is tried again.');
      });
    }
  }

  private async apply(decided: DecidedDatabase): Promise<void> {
    const { clusterId, decision, restriction } = decided;
    if (decision.restriction !== restriction) {
      // A host that dies in between leaves a cluster in either state, and what is decided may change until it is back.
      await this.sizes.restricting(decided);
      await this.engine.restrict(clusterId, decision.restriction);
      await this.sizes.restricted(decided, decision.restriction);
    }
    if (decision.stops) await this.engine.sleep(clusterId);
    if (decision.endsWriters && (await this.engine.endWriters(clusterId)) > 0) await this.sizes.overridden(decided);
  }
}
