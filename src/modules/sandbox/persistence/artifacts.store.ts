import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThan, MoreThan, Not } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import type { KeptArtifact } from '../domain/artifacts.js';
import { SandboxArtifact } from './sandbox-artifact.entity.js';

@Injectable()
export class ArtifactsStore {
  constructor(private readonly database: Database) {}

  /** Writes an artifact that nobody sees yet. */
  async add(artifact: Omit<SandboxArtifact, 'sha256'>): Promise<void> {
    await this.database.manager.insert(SandboxArtifact, { ...artifact, sha256: null });
  }

  /** Lets the artifacts be seen. */
  async keep(artifacts: readonly KeptArtifact[]): Promise<void> {
    for (const { id, sha256 } of artifacts) await this.database.manager.update(SandboxArtifact, { id }, { sha256 });
  }

  /** Returns the artifacts that can be seen, by their paths. */
  listOf(executionId: string, now: Date): Promise<SandboxArtifact[]> {
    return this.database.manager.find(SandboxArtifact, {
      where: { executionId, sha256: Not(IsNull()), expiresAt: MoreThan(now) },
      order: { path: 'ASC', id: 'ASC' },
    });
  }

  find(executionId: string, id: string, now: Date): Promise<SandboxArtifact | null> {
    return this.database.manager.findOneBy(SandboxArtifact, {
      id,
      executionId,
      sha256: Not(IsNull()),
      expiresAt: MoreThan(now),
    });
  }

  expired(now: Date, limit: number): Promise<Pick<SandboxArtifact, 'id'>[]> {
    return this.database.manager.find(SandboxArtifact, {
      select: { id: true },
      where: { expiresAt: LessThan(now) },
      order: { expiresAt: 'ASC' },
      take: limit,
    });
  }

  async expireOfOrg(orgId: string, now: Date): Promise<void> {
    await this.database.manager.update(SandboxArtifact, { orgId, expiresAt: MoreThan(now) }, { expiresAt: now });
  }

  async remove(ids: readonly string[]): Promise<void> {
    await this.database.manager.delete(SandboxArtifact, { id: In([...ids]) });
  }
}
