import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { GithubInstallation } from './github-installation.entity.js';

const ID_FORM = /^ghi_[0-9a-z]{26}$/;

@Injectable()
export class GithubInstallationsStore {
  constructor(private readonly database: Database) {}

  /** Returns false when another organization has connected the installation. */
  async connect(installation: GithubInstallation): Promise<boolean> {
    const rows = await this.database.manager.query<unknown[]>(
      `INSERT INTO github_installations
         (id, org_id, installation_id, account_id, account, account_type, connected_by, suspended_at, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       ON CONFLICT (installation_id) DO UPDATE
         SET account = EXCLUDED.account, suspended_at = EXCLUDED.suspended_at, connected_by = EXCLUDED.connected_by
         WHERE github_installations.org_id = EXCLUDED.org_id
       RETURNING id`,
      [
        installation.id,
        installation.orgId,
        installation.installationId,
        installation.accountId,
        installation.account,
        installation.accountType,
        installation.connectedBy,
        installation.suspendedAt,
        installation.createdAt,
      ],
    );
    return rows.length > 0;
  }

  list(orgId: string): Promise<GithubInstallation[]> {
    return this.database.manager.find(GithubInstallation, { where: { orgId }, order: { id: 'ASC' } });
  }

  /** Finds an installation of these organizations. Returns null for any other, as for one that never existed. */
  async find(id: string, orgIds: readonly string[]): Promise<GithubInstallation | null> {
    if (!ID_FORM.test(id)) return null;
    return this.database.manager
      .createQueryBuilder(GithubInstallation, 'installation')
      .where('installation.id = :id AND installation.org_id = ANY(:orgIds)', { id, orgIds })
      .getOne();
  }

  findByNumber(installationId: number): Promise<GithubInstallation | null> {
    return this.database.manager.findOneBy(GithubInstallation, { installationId });
  }

  async suspend(installationId: number, suspendedAt: Date | null): Promise<void> {
    await this.database.manager.update(GithubInstallation, { installationId }, { suspendedAt });
  }

  async remove(id: string): Promise<void> {
    await this.database.manager.delete(GithubInstallation, { id });
  }

  async begin(state: { id: string; orgId: string; userId: string; expiresAt: Date }): Promise<void> {
    const { manager } = this.database;
    await manager.query("DELETE FROM github_link_states WHERE expires_at < $1::timestamptz - interval '1 day'", [
      state.expiresAt,
    ]);
    await manager.query('INSERT INTO github_link_states (id, org_id, user_id, expires_at) VALUES ($1, $2, $3, $4)', [
      state.id,
      state.orgId,
      state.userId,
      state.expiresAt,
    ]);
  }

  /** Takes the state, which can be used once. */
  async take(id: string, userId: string): Promise<{ orgId: string; expiresAt: Date } | null> {
    const [rows] = await this.database.manager.query<[{ org_id: string; expires_at: Date }[], number]>(
      'DELETE FROM github_link_states WHERE id = $1 AND user_id = $2 RETURNING org_id, expires_at',
      [id, userId],
    );
    return rows[0] === undefined ? null : { orgId: rows[0].org_id, expiresAt: rows[0].expires_at };
  }

  /** Returns false for a delivery that was taken before. */
  async takeDelivery(id: string, now: Date): Promise<boolean> {
    const rows = await this.database.manager.query<unknown[]>(
      'INSERT INTO github_deliveries (id, received_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id',
      [id, now],
    );
    return rows.length > 0;
  }

  async forgetDeliveries(before: Date): Promise<void> {
    await this.database.manager.query('DELETE FROM github_deliveries WHERE received_at < $1', [before]);
  }
}
