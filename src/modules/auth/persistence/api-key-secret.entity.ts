import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The hash of a secret of a key. Replaced secrets stay, so that they can be distinguished from unknown ones. */
@Entity('api_key_secrets')
export class ApiKeySecret {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'key_id' }) keyId!: string;
  @Column('bytea') hash!: Buffer;
  @Column('int', { name: 'pepper_version' }) pepperVersion!: number;
  @Column('text') last4!: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'rotated_at', nullable: true }) rotatedAt!: Date | null;
  /** When a replaced secret stops working. */
  @Column('timestamptz', { name: 'works_until', nullable: true }) worksUntil!: Date | null;

  static issued(
    input: Pick<ApiKeySecret, 'keyId' | 'hash' | 'pepperVersion' | 'last4'>,
    { id, at }: { readonly id: string; readonly at: Date },
  ): ApiKeySecret {
    const secret = new ApiKeySecret();
    secret.id = id;
    secret.keyId = input.keyId;
    secret.hash = input.hash;
    secret.pepperVersion = input.pepperVersion;
    secret.last4 = input.last4;
    secret.createdAt = at;
    secret.rotatedAt = secret.worksUntil = null;
    return secret;
  }
}
