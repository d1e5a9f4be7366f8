import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A user. Only `UsersStore.raiseEpoch` changes the epoch. */
@Entity('users')
export class User {
  @PrimaryColumn('text') id!: string;
  @Column('text') username!: string;
  /** The address as the user wrote it. Comparisons ignore case. */
  @Column('text') email!: string;
  @Column('timestamptz', { name: 'email_verified_at', nullable: true }) emailVerifiedAt!: Date | null;
  @Column('text', { name: 'password_hash' }) passwordHash!: string;
  @Column({ type: 'bigint', name: 'auth_epoch', default: 0, insert: false, update: false }) authEpoch!: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;
}
