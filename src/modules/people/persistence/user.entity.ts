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
  /** False while the hash is that of random bytes, because the account was made through a provider. */
  @Column('boolean', { name: 'has_password', default: true }) hasPassword!: boolean;
  /** True while the person has a second factor, which the module of factors notes. */
  @Column('boolean', { name: 'second_factor', default: false }) secondFactor!: boolean;
  @Column({ type: 'bigint', name: 'auth_epoch', default: 0, insert: false, update: false }) authEpoch!: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;
  /** The row of a deleted account stays for what refers to it, without anything that names the person. */
  @Column('timestamptz', { name: 'deleted_at', nullable: true }) deletedAt!: Date | null;
}
