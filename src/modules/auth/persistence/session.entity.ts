import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { SignInMethod } from '../sign-in-method.js';

/** A sign-in of a user on one device. */
@Entity('sessions')
export class Session {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'user_id' }) userId!: string;
  @Column('bytea', { name: 'token_hash' }) tokenHash!: Buffer;
  /** Hashes of the previous tokens. Only SQL statements read and write them. */
  @Column({
    type: 'bytea',
    name: 'rotated_from',
    array: true,
    default: '{}',
    select: false,
    insert: false,
    update: false,
  })
  rotatedFrom!: Buffer[];
  /** True when the token is in a cookie of a browser, and false when it is sent in `Authorization`. */
  @Column('boolean', { name: 'in_cookie', default: false }) inCookie!: boolean;
  /** What was shown to sign in, and to confirm the session. */
  @Column('text', { array: true, default: '{password}' }) methods!: SignInMethod[];
  /** When the person last showed it. */
  // The default serves processes of the previous release, which do not know the column.
  @Column('timestamptz', { name: 'authenticated_at', default: () => 'now()' }) authenticatedAt!: Date;
  /** The SSO connection that the person came through. */
  @Column('text', { name: 'connection_id', nullable: true }) connectionId!: string | null;
  /** When the person signed in, also for a session that was opened from another one. */
  @Column('timestamptz', { name: 'signed_in_at', default: () => 'now()' }) signedInAt!: Date;
  @Column('text') ip!: string;
  @Column('text', { name: 'user_agent', nullable: true }) userAgent!: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'last_used_at' }) lastUsedAt!: Date;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt!: Date;
  @Column('timestamptz', { name: 'ended_at', nullable: true }) endedAt!: Date | null;
}
