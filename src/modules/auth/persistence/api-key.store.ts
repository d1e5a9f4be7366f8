import { Injectable } from '@nestjs/common';
import { Brackets, IsNull, type SelectQueryBuilder } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import { ApiKeySecret } from './api-key-secret.entity.js';
import { ApiKey } from './api-key.entity.js';

/** The keys that a caller can see: the user's own, and org-bound keys of organizations that the user administers. */
export interface KeyReach {
  readonly userId: string;
  readonly administeredOrgIds: readonly string[];
  /** Set for a key that is not personal. It sees only keys with the same or fewer organizations. */
  readonly withinOrgIds: readonly string[] | undefined;
}

export interface KeyUse {
  readonly keyId: string;
  readonly at: Date;
  readonly ip: string;
}

@Injectable()
export class ApiKeyStore {
  constructor(private readonly database: Database) {}

  async add(key: ApiKey, secret: ApiKeySecret): Promise<void> {
    const { manager } = this.database;
    await manager.insert(ApiKey, key);
    await manager.insert(ApiKeySecret, secret);
  }

  /** Adds a key that has no secret. */
  async addGranted(key: ApiKey): Promise<void> {
    await this.database.manager.insert(ApiKey, key);
  }

  /** Returns those of the keys that the caller can see. */
  findAmong(ids: readonly string[], reach: KeyReach): Promise<ApiKey[]> {
    return this.reachable(reach).andWhere('key.id = ANY(:ids)', { ids }).getMany();
  }

  /** Returns null for a key that the caller cannot see, as for an unknown one. */
  find(id: string, reach: KeyReach): Promise<ApiKey | null> {
    return this.reachable(reach).andWhere('key.id = :id', { id }).getOne();
  }

  /** {@link find} with a lock until the transaction ends. */
  findForChange(id: string, reach: KeyReach): Promise<ApiKey | null> {
    return this.reachable(reach).andWhere('key.id = :id', { id }).setLock('pessimistic_write').getOne();
  }

  /** Lists keys, newest first. */
  async list(reach: KeyReach, page: PageRequest): Promise<Page<ApiKey>> {
    const query = this.reachable(reach)
      .orderBy('key.id', 'DESC')
      .limit(page.limit + 1);
    if (page.after !== undefined) query.andWhere('key.id < :after', { after: page.after });
    return pageOf(await query.getMany(), page, ({ id }) => id);
  }

  /** Lists the keys of OAuth clients that reach an organization and are not revoked, newest first. */
  async pageGranted(orgId: string, page: PageRequest): Promise<Page<ApiKey>> {
    const query = this.database.manager
      .createQueryBuilder(ApiKey, 'key')
      .where("key.source = 'oauth' AND key.revoked_at IS NULL AND key.org_ids @> ARRAY[:orgId]::text[]", { orgId })
      .orderBy('key.id', 'DESC')
      .limit(page.limit + 1);
    if (page.after !== undefined) query.andWhere('key.id < :after', { after: page.after });
    return pageOf(await query.getMany(), page, ({ id }) => id);
  }

  /** Finds the key of an OAuth client, and locks it until the running transaction ends. */
  lockGranted(id: string): Promise<ApiKey | null> {
    return this.database.manager
      .createQueryBuilder(ApiKey, 'key')
      .where("key.id = :id AND key.source = 'oauth'", { id })
      .setLock('pessimistic_write')
      .getOne();
  }

  async save(key: ApiKey): Promise<void> {
    const { id, ...changed } = key;
    await this.database.manager.update(ApiKey, { id }, changed);
  }

  /** Revokes every key of a user that is not revoked yet, and returns them. */
  async revokeAllOf(userId: string, now: Date): Promise<ApiKey[]> {
    const { manager } = this.database;
    const keys = await manager
      .createQueryBuilder(ApiKey, 'key')
      .where('key.userId = :userId AND key.revokedAt IS NULL', { userId })
      .orderBy('key.id')
      .setLock('pessimistic_write')
      .getMany();
    await manager.query('UPDATE api_keys SET revoked_at = $2, updated_at = $2 WHERE id = ANY($1)', [
      keys.map(({ id }) => id),
      now,
    ]);
    return keys;
  }

  /**
   * Returns the keys of a user that name an organization, or are authorized for SSO there, and are not revoked. They
   * are locked until the running transaction ends.
   */
  lockReaching(userId: string, orgId: string): Promise<ApiKey[]> {
    return this.database.manager
      .createQueryBuilder(ApiKey, 'key')
      .where('key.userId = :userId AND key.revokedAt IS NULL', { userId })
      .andWhere('(key.org_ids @> ARRAY[:orgId]::text[] OR key.sso_orgs @> ARRAY[:orgId]::text[])', { orgId })
      .orderBy('key.id')
      .setLock('pessimistic_write')
      .getMany();
  }

  /** Finds a key of any user, for actions of the service itself. */
  async findById(id: string): Promise<ApiKey | null> {
    return this.database.manager.findOneBy(ApiKey, { id });
  }

  /** Finds the key of a project that is not revoked, with a lock if a transaction runs. */
  async findOfProject(projectId: string): Promise<ApiKey | null> {
    const query = this.database.manager
      .createQueryBuilder(ApiKey, 'key')
      .where('key.projectId = :projectId AND key.revokedAt IS NULL', { projectId })
      .orderBy('key.id', 'DESC')
      .limit(1);
    if (this.database.inTransaction) query.setLock('pessimistic_write');
    return query.getOne();
  }

  /** Counts the active keys of a user. */
  async countActive(userId: string, now: Date): Promise<number> {
    const [row] = await this.database.manager.query<[{ count: number }]>(
      `
      SELECT count(*)::int AS count FROM api_keys
      WHERE user_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`,
      [userId, now],
    );
    return row.count;
  }

  /** Returns the last four characters of the current secrets, by key id. */
  async last4Of(keyIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.database.manager.query<{ key_id: string; last4: string }[]>(
      'SELECT key_id, last4 FROM api_key_secrets WHERE key_id = ANY($1) AND rotated_at IS NULL',
      [keyIds],
    );
    return new Map(rows.map(({ key_id, last4 }) => [key_id, last4]));
  }

  async replaceSecret(secret: ApiKeySecret, worksUntil: Date): Promise<void> {
    const { manager } = this.database;
    // A secret that still works from an earlier rotation must not outlive this one.
    await manager.query(
      'UPDATE api_key_secrets SET works_until = least(works_until, $2) WHERE key_id = $1 AND rotated_at IS NOT NULL',
      [secret.keyId, worksUntil],
    );
    await manager.update(
      ApiKeySecret,
      { keyId: secret.keyId, rotatedAt: IsNull() },
      { rotatedAt: secret.createdAt, worksUntil },
    );
    await manager.insert(ApiKeySecret, secret);
  }

  /** Skips rows that are locked, because the time of the last use is not worth waiting for. */
  async noteUses(uses: readonly KeyUse[]): Promise<void> {
    await this.database.manager.query(
      `
      UPDATE api_keys SET last_used_at = u.at, last_used_ip = u.ip
      FROM unnest($1::text[], $2::timestamptz[], $3::text[]) AS u (key_id, at, ip)
      WHERE id IN (SELECT id FROM api_keys WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)
        AND id = u.key_id AND (last_used_at IS NULL OR last_used_at < u.at)`,
      [uses.map(({ keyId }) => keyId), uses.map(({ at }) => at), uses.map(({ ip }) => ip)],
    );
  }

  private reachable({ userId, administeredOrgIds, withinOrgIds }: KeyReach): SelectQueryBuilder<ApiKey> {
    const query = this.database.manager.createQueryBuilder(ApiKey, 'key').where(
      new Brackets((either) => {
        either
          .where('key.user_id = :userId', { userId })
          .orWhere("(key.kind = 'org_bound' AND key.home_org_id = ANY(:administeredOrgIds))", { administeredOrgIds });
      }),
    );
    if (withinOrgIds !== undefined)
      query.andWhere("key.kind <> 'personal' AND key.org_ids <@ :withinOrgIds", { withinOrgIds });
    return query;
  }
}
