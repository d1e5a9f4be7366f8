import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { OrgRole } from '../../auth/org-role.js';

/** A role for the user who has the email address and accepts it. */
@Entity('invitations')
export class Invitation {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  @Column('text') email!: string;
  @Column('text') role!: OrgRole;
  /** The hash is null until the message is written, because only the message has the token. */
  @Column('bytea', { name: 'token_hash', nullable: true }) tokenHash!: Buffer | null;
  @Column('text', { name: 'invited_by' }) invitedBy!: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt!: Date;
  @Column('timestamptz', { name: 'accepted_at', nullable: true }) acceptedAt!: Date | null;
  @Column('timestamptz', { name: 'revoked_at', nullable: true }) revokedAt!: Date | null;
}
