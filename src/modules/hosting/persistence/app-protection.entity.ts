import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ProtectionMode } from '../protection-mode.js';

/** Who may open the hosts of a project. A project without a row is open to everybody. */
@Entity('app_protections')
export class AppProtection {
  @PrimaryColumn('text', { name: 'project_id' }) projectId!: string;
  /** For the hosts of branches and of single deploys, those of production deploys included. */
  @Column('text') previews!: ProtectionMode;
  /** For the production host. */
  @Column('text') production!: ProtectionMode;
  @Column('text', { name: 'password_hash', nullable: true }) passwordHash!: string | null;
  /** Increases with each change, which revokes every cookie and link that was issued before. */
  @Column('int') version!: number;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;
}
