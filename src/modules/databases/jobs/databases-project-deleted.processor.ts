import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { Database } from '../../../platform/database/database.js';
import type { ProjectDeletedPayload } from '../../projects/project-deleted.job.js';
import { PreviewBranches } from '../domain/preview-branches.js';
import { DatabaseAttachmentsStore } from '../persistence/database-attachments.store.js';
import { DatabasesStore } from '../persistence/databases.store.js';
import { databasesProjectDeletedSubscription } from './databases.job.js';

@Injectable()
@Handles(databasesProjectDeletedSubscription)
export class DatabasesProjectDeletedProcessor implements JobHandler<ProjectDeletedPayload> {
  constructor(
    private readonly database: Database,
    private readonly databases: DatabasesStore,
    private readonly attachments: DatabaseAttachmentsStore,
    private readonly previews: PreviewBranches,
  ) {}

  handle({ projectId }: ProjectDeletedPayload): Promise<void> {
    return this.database.transaction(async () => {
      await this.previews.forget({ projectId });
      await this.attachments.deleteOfProject(projectId);
      await this.databases.forgetProject(projectId);
    });
  }
}
