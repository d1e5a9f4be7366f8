import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { Database } from '../../../platform/database/database.js';
import type { OrgDeletedPayload } from '../../orgs/org-deleted.job.js';
import { DatabaseBusy } from '../databases.errors.js';
import { DatabaseDeletion } from '../domain/database-deletion.js';
import { DatabasesStore } from '../persistence/databases.store.js';
import { databasesOrgDeletedSubscription } from './databases.job.js';

@Injectable()
@Handles(databasesOrgDeletedSubscription)
export class DatabasesOrgDeletedProcessor implements JobHandler<OrgDeletedPayload> {
  constructor(
    private readonly database: Database,
    private readonly databases: DatabasesStore,
    private readonly deletion: DatabaseDeletion,
  ) {}

  /** A database that is busy is deleted by a later attempt. */
  async handle({ orgId }: OrgDeletedPayload): Promise<void> {
    let busy: DatabaseBusy | undefined;
    for (const id of await this.databases.idsOf(orgId)) {
      try {
        await this.database.transaction(async () => {
          const row = await this.databases.lockById(id);
          if (row !== undefined) await this.deletion.begin(undefined, row);
        });
      } catch (error) {
        if (!(error instanceof DatabaseBusy)) throw error;
        busy = error;
      }
    }
    if (busy !== undefined) throw busy;
  }
}
