import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A write that was requested with a key, and its answer. */
@Entity('idempotency_records')
export class IdempotencyRecord {
  /** Combines the caller and the route: another caller, or another route, can use the same key independently. */
  @PrimaryColumn('text') scope!: string;
  @PrimaryColumn('text') key!: string;
  @Column('bytea') fingerprint!: Buffer;
  /** Identifies the attempt that is running. */
  @Column('text') holder!: string;
  /** Set while the attempt runs. An attempt whose process died stops renewing it, and the next attempt takes over. */
  @Column('timestamptz', { name: 'held_until', nullable: true }) heldUntil!: Date | null;
  @Column('int', { nullable: true }) status!: number | null;
  /** Encrypted, because an answer may contain the secret of a key. */
  @Column('bytea', { nullable: true }) answer!: Buffer | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt!: Date;
}
