import { Injectable } from '@nestjs/common';
import { ProjectCrons } from '../../crons/project-crons.js';
import { ProtectionsService } from '../../hosting/protections.service.js';
import { DeployHooksStore } from '../persistence/deploy-hooks.store.js';
import { DeployPinsStore } from '../persistence/deploy-pins.store.js';

/** Removes what a deleted project leaves behind besides its deploys and their hosts. */
@Injectable()
export class ProjectLeftovers {
  constructor(
    private readonly pins: DeployPinsStore,
    private readonly hooks: DeployHooksStore,
    private readonly protections: ProtectionsService,
    private readonly crons: ProjectCrons,
  ) {}

  /** Joins the running transaction. It is safe to call this again. */
  async remove(projectId: string): Promise<void> {
    await this.pins.unpin(projectId);
    await this.hooks.removeAllOf(projectId);
    await this.protections.remove(projectId);
    await this.crons.removeAllOf(projectId);
  }
}
