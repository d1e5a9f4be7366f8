import { Injectable } from '@nestjs/common';
import { Handles } from '../../../platform/background/handles.js';
import type { JobHandler } from '../../../platform/background/define-job.js';
import type { ProjectDeletedPayload } from '../../projects/project-deleted.job.js';
import { ModelAccessService } from '../model-access/model-access.service.js';
import { modelAccessProjectDeletedSubscription } from './model-access.job.js';

@Injectable()
@Handles(modelAccessProjectDeletedSubscription)
export class DeletedProjectModelAccessProcessor implements JobHandler<ProjectDeletedPayload> {
  constructor(private readonly access: ModelAccessService) {}

  handle({ projectId }: ProjectDeletedPayload): Promise<void> {
    return this.access.removeProject(projectId);
  }
}
