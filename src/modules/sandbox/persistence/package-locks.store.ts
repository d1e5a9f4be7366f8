import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThan, Not } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import { SandboxPackageLock } from './package-lock.entity.js';

/** Locks that are kept for an organization. Each may have a mebibyte. */
const MOST_OF_ORG = 100;
const MARK_EVERY_MS = 3_600_000;

@Injectable()
export class PackageLocksStore {
  constructor(private readonly database: Database) {}

  find(id: string): Promise<SandboxPackageLock | null> {
    return this.database.manager.findOneBy(SandboxPackageLock, { id });
  }

  /** Returns those of the ids that have a lock. */
  async known(ids: readonly string[]): Promise<string[]> {
    const where = { id: In([...ids]) };
    const found = await this.database.manager.find(SandboxPackageLock, { select: { id: true }, where });
    return found.map(({ id }) => id);
  }

  /** Writes or replaces a lock, and removes those of its organization that were not used for the longest time. */
  async save(lock: SandboxPackageLock): Promise<void> {
    const { manager } = this.database;
    await manager.upsert(SandboxPackageLock, lock, ['id']);
    if (lock.orgId === null) return;
    const others = { select: { id: true }, where: { orgId: lock.orgId }, order: { usedAt: 'DESC' } } as const;
    const old = await manager.find(SandboxPackageLock, { ...others, skip: MOST_OF_ORG });
    if (old.length > 0) await manager.delete(SandboxPackageLock, { id: In(old.map(({ id }) => id)) });
  }

  /** Sets stay, because they are few. */
  async deleteUnusedSince(usedBefore: Date): Promise<void> {
    const ofAnOrg = Not(IsNull());
    await this.database.manager.delete(SandboxPackageLock, { orgId: ofAnOrg, usedAt: LessThan(usedBefore) });
  }

  async markUsed(id: string, at: Date): Promise<void> {
    const isOld = LessThan(new Date(at.getTime() - MARK_EVERY_MS));
    await this.database.manager.update(SandboxPackageLock, { id, usedAt: isOld }, { usedAt: at });
  }
}
