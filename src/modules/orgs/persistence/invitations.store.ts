import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import { Invitation } from './invitation.entity.js';

/** An invitation is open until it is accepted, is revoked or expires. */
@Injectable()
export class InvitationsStore {
  constructor(private readonly database: Database) {}

  async insert(invitation: Invitation): Promise<void> {
    await this.database.manager.insert(Invitation, invitation);
  }

  findOpen(id: string, now: Date): Promise<Invitation | undefined> {
    return this.first(this.open(now).andWhere('invitation.id = :id', { id }));
  }

  findOpenByToken(hashes: readonly Buffer[], now: Date): Promise<Invitation | undefined> {
    return this.first(this.open(now).andWhere('invitation.tokenHash = ANY(:hashes)', { hashes }));
  }

  /** Returns those of the hashes that belong to invitations, closed ones included. */
  async known(hashes: readonly Buffer[]): Promise<Buffer[]> {
    const rows = await this.database.manager.query<{ hash: Buffer }[]>(
      'SELECT token_hash AS hash FROM invitations WHERE token_hash = ANY($1)',
      [hashes],
    );
    return rows.map(({ hash }) => hash);
  }

  /** Lists open invitations, newest first. */
  async pageOfOpen(orgId: string, page: PageRequest, now: Date): Promise<Page<Invitation>> {
    const query = this.open(now)
      .andWhere('invitation.orgId = :orgId', { orgId })
      .orderBy('invitation.id', 'DESC')
      .limit(page.limit + 1);
    if (page.after !== undefined) query.andWhere('invitation.id < :after', { after: page.after });
    return pageOf(await query.getMany(), page, ({ id }) => id);
  }

  async setToken(id: string, tokenHash: Buffer): Promise<void> {
    await this.database.manager.update(Invitation, { id }, { tokenHash });
  }

  async markAccepted(id: string, at: Date): Promise<void> {
    await this.database.manager.update(Invitation, { id }, { acceptedAt: at });
  }

  async revoke(id: string, at: Date): Promise<void> {
    await this.database.manager.update(Invitation, { id }, { revokedAt: at });
  }

  async revokeAll(orgId: string, at: Date): Promise<void> {
    await this.revokeWhere('TRUE', orgId, at);
  }

  /** Revokes the invitations to an address, expired ones included. */
  async revokeFor(orgId: string, email: string, at: Date): Promise<void> {
    await this.revokeWhere('lower(email) = lower($3)', orgId, at, email);
  }

  /** Revokes the invitations that a member has sent. */
  async revokeBy(orgId: string, userId: string, at: Date): Promise<void> {
    await this.revokeWhere('invited_by = $3', orgId, at, userId);
  }

  private async revokeWhere(condition: string, orgId: string, at: Date, value?: string): Promise<void> {
    await this.database.manager.query(
      `
      UPDATE invitations SET revoked_at = $2
      WHERE org_id = $1 AND accepted_at IS NULL AND revoked_at IS NULL AND ${condition}`,
      value === undefined ? [orgId, at] : [orgId, at, value],
    );
  }

  private open(now: Date): SelectQueryBuilder<Invitation> {
    return this.database.manager
      .createQueryBuilder(Invitation, 'invitation')
      .where('invitation.acceptedAt IS NULL AND invitation.revokedAt IS NULL AND invitation.expiresAt > :now', { now });
  }

  private async first(query: SelectQueryBuilder<Invitation>): Promise<Invitation | undefined> {
    return (await query.getOne()) ?? undefined;
  }

  /** Deletes up to `limit` rows that ended before a time, and returns how many. */
  async deleteExpired(before: Date, limit: number): Promise<number> {
    const [, count] = await this.database.manager.query<[unknown[], number]>(
      `
      DELETE FROM invitations WHERE id IN (
        SELECT id FROM invitations WHERE coalesce(accepted_at, revoked_at, expires_at) < $1
        LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [before, limit],
    );
    return count;
  }
}
