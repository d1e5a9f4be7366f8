import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { KeyKind } from '../principal.js';

@Entity('api_keys')
export class ApiKey {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'user_id' }) userId!: string;
  /** The default organization of calls. For an org-bound key it is the only one. */
  @Column('text', { name: 'home_org_id' }) homeOrgId!: string;
  @Column('text') kind!: KeyKind;
  @Column('text') name!: string;
  /** The patterns of the caller. `deploys:*` therefore also covers scopes that are added later. */
  @Column('text', { array: true }) scopes!: string[];
  /** The organizations of the key. The list is empty for a personal key, which has access to all of its owner's. */
  @Column('text', { name: 'org_ids', array: true }) orgIds!: string[];
  /** CIDRs that the key can be used from. An empty list allows every address. */
  @Column('text', { name: 'allowed_ips', array: true }) allowedIps!: string[];
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt!: Date | null;
  @Column('timestamptz', { name: 'revoked_at', nullable: true }) revokedAt!: Date | null;
  @Column('timestamptz', { name: 'last_used_at', nullable: true }) lastUsedAt!: Date | null;
  @Column('text', { name: 'last_used_ip', nullable: true }) lastUsedIp!: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;
}
