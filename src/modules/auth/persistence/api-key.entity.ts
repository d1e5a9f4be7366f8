import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { KeyKind } from '../principal.js';

@Entity('api_keys')
export class ApiKey {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'user_id' }) userId!: string;
  /** The organization of a call that names none; of an org-bound key the only one. */
  @Column('text', { name: 'home_org_id' }) homeOrgId!: string;
  @Column('text') kind!: KeyKind;
  @Column('text') name!: string;
  /** As they were written: `deploys:*` also covers a scope that is added to it later. */
  @Column('text', { array: true }) scopes!: string[];
  /** Those that it reaches; empty for a personal key, which reaches all of its owner's. */
  @Column('text', { name: 'org_ids', array: true }) orgIds!: string[];
  /** CIDRs; empty: from anywhere. */
  @Column('text', { name: 'allowed_ips', array: true }) allowedIps!: string[];
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt!: Date | null;
  @Column('timestamptz', { name: 'revoked_at', nullable: true }) revokedAt!: Date | null;
  @Column('timestamptz', { name: 'last_used_at', nullable: true }) lastUsedAt!: Date | null;
  @Column('text', { name: 'last_used_ip', nullable: true }) lastUsedIp!: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;
}
