import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { OrgRole } from '../../auth/org-role.js';

@Entity('memberships')
export class Membership {
  @PrimaryColumn('text', { name: 'org_id' }) orgId!: string;
  @PrimaryColumn('text', { name: 'user_id' }) userId!: string;
  @Column('text') role!: OrgRole;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
}
