import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PackageEcosystem } from '../domain/packages.js';

/** What the packages of an organization, or of a set, resolve to. Each worker installs the same from it. */
@Entity('sandbox_package_locks')
export class SandboxPackageLock {
  /** See `WantedPackages.id`. */
  @PrimaryColumn('text') id!: string;
  /** Null for a set. */
  @Column('text', { name: 'org_id', nullable: true }) orgId!: string | null;
  @Column('text') ecosystem!: PackageEcosystem;
  /** The interpreter that it was resolved for, such as `python3.11-x64`. */
  @Column('text') runtime!: string;
  @Column('text') lock!: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  /** To the hour. */
  @Column('timestamptz', { name: 'used_at' }) usedAt!: Date;
}
