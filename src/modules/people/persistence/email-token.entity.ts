import { Column, Entity, PrimaryColumn } from 'typeorm';

export type EmailTokenPurpose = 'verify_email' | 'reset_password';

/** What a token that was sent by email is good for, once. */
@Entity('email_tokens')
export class EmailToken {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'user_id' }) userId!: string;
  @Column('text') purpose!: EmailTokenPurpose;
  /** Where it was sent to: a later address of the same person is not proved by it. */
  @Column('text') email!: string;
  @Column('bytea', { name: 'token_hash' }) tokenHash!: Buffer;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt!: Date;
  @Column('timestamptz', { name: 'used_at', nullable: true }) usedAt!: Date | null;
}
