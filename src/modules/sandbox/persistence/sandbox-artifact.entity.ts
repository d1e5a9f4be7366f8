import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A file that an execution has left. Its content is a blob. */
@Entity('sandbox_artifacts')
export class SandboxArtifact {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  @Column('text', { name: 'execution_id' }) executionId!: string;
  @Column('text') path!: string;
  /** The driver returns it as text. */
  @Column('bigint', { name: 'size_bytes' }) sizeBytes!: string;
  /** The type that its name suggests. */
  @Column('text') type!: string;
  /** In hexadecimal; null until the execution has ended and the artifact can be seen. */
  @Column('text', { nullable: true }) sha256!: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt!: Date;
}
