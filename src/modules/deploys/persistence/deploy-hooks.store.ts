import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { DeployHook } from './deploy-hook.entity.js';

@Injectable()
export class DeployHooksStore {
  constructor(private readonly database: Database) {}

  async insert(hook: DeployHook): Promise<void> {
    await this.database.manager.insert(DeployHook, hook);
  }

  /** Returns the hooks of a project, oldest first. */
  list(projectId: string): Promise<DeployHook[]> {
    return this.database.manager.find(DeployHook, { where: { projectId }, order: { id: 'ASC' } });
  }

  count(projectId: string): Promise<number> {
    return this.database.manager.countBy(DeployHook, { projectId });
  }

  find(id: string): Promise<DeployHook | null> {
    return this.database.manager.findOneBy(DeployHook, { id });
  }

  /** Returns those of the hashes that belong to hooks. */
  async knownSecrets(hashes: readonly Buffer[]): Promise<Buffer[]> {
    const rows = await this.database.manager.query<{ hash: Buffer }[]>(
      'SELECT secret_hash AS hash FROM deploy_hooks WHERE secret_hash = ANY($1)',
      [hashes],
    );
    return rows.map(({ hash }) => hash);
  }

  findBySecret(secretHash: Buffer): Promise<DeployHook | null> {
    return this.database.manager
      .createQueryBuilder(DeployHook, 'hook')
      .where('hook.secretHash = :secretHash', { secretHash })
      .getOne();
  }

  async used(id: string, at: Date): Promise<void> {
    await this.database.manager.update(DeployHook, { id }, { lastUsedAt: at });
  }

  /** Returns false when the project has no such hook. */
  async remove(projectId: string, id: string): Promise<boolean> {
    const { affected } = await this.database.manager.delete(DeployHook, { id, projectId });
    return affected === 1;
  }

  async removeAllOf(projectId: string): Promise<void> {
    await this.database.manager.delete(DeployHook, { projectId });
  }
}
