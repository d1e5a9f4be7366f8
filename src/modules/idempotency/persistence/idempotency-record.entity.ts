import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A write that was asked for with a key, and what it was answered. */
@Entity('idempotency_records')
export class IdempotencyRecord {
  /** Caller and route: the same key of another caller, or for another route, is another key. */
  @PrimaryColumn('text') scope!: string;
  @PrimaryColumn('text') key!: string;
  @Column('bytea') fingerprint!: Buffer;
  /** Which of several attempts runs. */
  @Column('text') holder!: string;
  /** While it runs. An attempt whose process died stops renewing it, and the next one takes over. */
  @Column('timestamptz', { name: 'held_until', nullable: true }) heldUntil!: Date | null;
  @Column('int', { nullable: true }) status!: number | null;
  /** Sealed: an answer may hold the secret of a key. */
  @Column('bytea', { nullable: true }) answer!: Buffer | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt!: Date;
}
