import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { EncryptedTable, Reencryption } from '../../../platform/secrets/reencryption.js';
import { ProjectEnvService } from '../../projects/project-env.service.js';
import { DeployEnvironmentsStore, type KeptEnvironment } from '../persistence/deploy-environments.store.js';

/** Includes the environments of deploys in re-encryption. */
@Injectable()
export class EncryptedDeployEnv extends EncryptedTable<KeptEnvironment> implements OnApplicationBootstrap {
  constructor(
    private readonly environments: DeployEnvironmentsStore,
    private readonly env: ProjectEnvService,
    private readonly reencryption: Reencryption,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.reencryption.add(this);
  }

  outdated(mark: Buffer, last: KeptEnvironment | undefined, limit: number): Promise<KeptEnvironment[]> {
    return this.environments.withoutMark(mark, last?.deployId ?? '', limit);
  }

  async reencrypt({ deployId, projectId, target, variables }: KeptEnvironment): Promise<void> {
    await this.environments.replace(deployId, variables, this.env.reencrypted(projectId, target, variables));
  }

  idsOf({ deployId }: KeptEnvironment): Readonly<Record<string, string>> {
    return { deployId };
  }
}
