import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { EncryptedTable, Reencryption } from '../../../platform/secrets/reencryption.js';
import { type EnvGroup, ProjectEnvStore } from '../persistence/project-env.store.js';
import { ProjectsStore } from '../persistence/projects.store.js';
import { ProjectEnvService } from '../project-env.service.js';

/** Re-encrypts the variables of one project and target at a time. */
@Injectable()
export class EncryptedProjectEnv extends EncryptedTable<EnvGroup> implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsStore,
    private readonly variables: ProjectEnvStore,
    private readonly env: ProjectEnvService,
    private readonly reencryption: Reencryption,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.reencryption.add(this);
  }

  outdated(mark: Buffer, last: EnvGroup | undefined, limit: number): Promise<EnvGroup[]> {
    return this.variables.withoutMark(mark, last, limit);
  }

  reencrypt({ projectId, target }: EnvGroup): Promise<void> {
    return this.database.transaction(async () => {
      // The variables of a deleted project are gone.
      if ((await this.projects.findByIdForChange(projectId)) === null) return;
      const rows = await this.variables.list(projectId, target);
      const reencrypted = this.env.reencrypted(projectId, target, rows);
      for (const [index, row] of rows.entries()) row.value = reencrypted[index]!.value;
      await this.variables.set(rows);
    });
  }

  idsOf({ projectId, target }: EnvGroup): Readonly<Record<string, string>> {
    return { projectId, target };
  }
}
