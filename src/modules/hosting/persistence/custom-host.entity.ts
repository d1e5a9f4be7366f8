import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A host name of a customer, such as `shop.example.com` or `*.example.com`, and the project that it serves. */
@Entity('custom_hosts')
export class CustomHost {
  @PrimaryColumn('text') name!: string;
  @Column('text', { name: 'project_id' }) projectId!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  /** The host that visitors are sent to instead, or null to serve the project. */
  @Column('text', { name: 'redirect_to', nullable: true }) redirectTo!: string | null;
  /** Whether visitors who come over http are sent to https. */
  @Column('boolean', { name: 'https_redirect' }) httpsRedirect!: boolean;
  /** Whether browsers are instructed to use only https from now on. */
  @Column('boolean') hsts!: boolean;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;
}
