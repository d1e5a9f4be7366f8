import { Column, Entity, PrimaryColumn } from 'typeorm';

const asNumber = { to: (value: number) => value, from: Number };

/** An installation of the GitHub App that an organization has connected. The numbers of GitHub are far below 2^53. */
@Entity('github_installations')
export class GithubInstallation {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  /** The number of the installation at GitHub. */
  @Column('bigint', { name: 'installation_id', transformer: asNumber }) installationId!: number;
  @Column('bigint', { name: 'account_id', transformer: asNumber }) accountId!: number;
  @Column('text') account!: string;
  @Column('text', { name: 'account_type' }) accountType!: string;
  @Column('text', { name: 'connected_by' }) connectedBy!: string;
  @Column('timestamptz', { name: 'suspended_at', nullable: true }) suspendedAt!: Date | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;

  /** Creates an installation that a user of the organization has connected. */
  static connected(
    facts: Pick<
      GithubInstallation,
      'orgId' | 'installationId' | 'accountId' | 'account' | 'accountType' | 'connectedBy' | 'suspendedAt'
    >,
    { id, at }: { id: string; at: Date },
  ): GithubInstallation {
    const installation = new GithubInstallation();
    installation.id = id;
    installation.orgId = facts.orgId;
    installation.installationId = facts.installationId;
    installation.accountId = facts.accountId;
    installation.account = facts.account;
    installation.accountType = facts.accountType;
    installation.connectedBy = facts.connectedBy;
    installation.suspendedAt = facts.suspendedAt;
    installation.createdAt = at;
    return installation;
  }
}
