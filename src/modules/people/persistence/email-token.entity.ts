import { Column, Entity, PrimaryColumn } from 'typeorm';

export type EmailTokenPurpose = 'verify_email' | 'reset_password' | 'prove_email' | 'approve_email';

/** A token that was sent by email and works once. */
@Entity('email_tokens')
export class EmailToken {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'user_id' }) userId!: string;
  @Column('text') purpose!: EmailTokenPurpose;
  /** The token verifies only the address that it was sent to, and no later address of the user. */
  @Column('text') email!: string;
  @Column('bytea', { name: 'token_hash' }) tokenHash!: Buffer;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt!: Date;
  @Column('timestamptz', { name: 'used_at', nullable: true }) usedAt!: Date | null;
}
