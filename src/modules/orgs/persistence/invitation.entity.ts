import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { OrgRole } from '../../auth/org-role.js';

const LIFETIME_MS = 7 * 86_400_000;

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

  /** An open invitation without a token, which is made when the message is written. */
  static opened(
    input: Pick<Invitation, 'orgId' | 'email' | 'role' | 'invitedBy'>,
    { id, at }: { readonly id: string; readonly at: Date },
  ): Invitation {
    const invitation = new Invitation();
    invitation.id = id;
    invitation.orgId = input.orgId;
    invitation.email = input.email;
    invitation.role = input.role;
    invitation.invitedBy = input.invitedBy;
    invitation.createdAt = at;
    invitation.expiresAt = new Date(at.getTime() + LIFETIME_MS);
    invitation.tokenHash = invitation.acceptedAt = invitation.revokedAt = null;
    return invitation;
  }
}
