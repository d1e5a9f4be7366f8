import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import { violatedConstraintOf } from '../../../platform/database/violated-constraint.js';
import type { OrgDomain } from '../domains/org-domain.js';
import { DomainTaken, OrgDomainAlreadyAdded } from '../sso.errors.js';

const COLUMNS = `
  id, org_id AS "orgId", name, challenge_token AS "challengeToken", status, misses, last_problem AS "lastProblem",
  created_at AS "createdAt", verified_at AS "verifiedAt", checked_at AS "checkedAt", next_check_at AS "nextCheckAt"`;

@Injectable()
export class OrgDomainsStore {
  constructor(private readonly database: Database) {}

  /** Inserts a pending claim. @throws {OrgDomainAlreadyAdded} `already_exists` */
  async insert({ id, orgId, name, challengeToken, createdAt }: OrgDomain): Promise<void> {
    try {
      await this.sql(
        `INSERT INTO sso_domains (id, org_id, name, challenge_token, status, misses, created_at)
         VALUES ($1, $2, $3, $4, 'pending', 0, $5)`,
        [id, orgId, name, challengeToken, createdAt],
      );
    } catch (error) {
      throw violatedConstraintOf(error) === 'sso_domains_claimed_once' ? new OrgDomainAlreadyAdded(name) : error;
    }
  }

  /** @throws {DomainTaken} `domain_taken` */
  async save(domain: OrgDomain): Promise<void> {
    const { id, name, status, misses, lastProblem, verifiedAt, checkedAt, nextCheckAt } = domain;
    try {
      await this.sql(
        `UPDATE sso_domains SET status = $2, misses = $3, last_problem = $4, verified_at = $5, checked_at = $6,
           next_check_at = $7
         WHERE id = $1`,
        [id, status, misses, lastProblem, verifiedAt, checkedAt, nextCheckAt],
      );
    } catch (error) {
      throw violatedConstraintOf(error) === 'sso_domains_held_once' ? new DomainTaken(name) : error;
    }
  }

  /** Returns false when there was no such domain any more. */
  async remove(id: string): Promise<boolean> {
    const [, removed] = await this.database.manager.query<[unknown, number]>('DELETE FROM sso_domains WHERE id = $1', [
      id,
    ]);
    return removed === 1;
  }

  async removeOf(orgId: string): Promise<void> {
    await this.sql('DELETE FROM sso_domains WHERE org_id = $1', [orgId]);
  }

  async find(orgId: string, id: string): Promise<OrgDomain | undefined> {
    const [row] = await this.sql<OrgDomain>(`SELECT ${COLUMNS} FROM sso_domains WHERE org_id = $1 AND id = $2`, [
      orgId,
      id,
    ]);
    return row;
  }

  async findVerified(name: string): Promise<OrgDomain | undefined> {
    const [row] = await this.sql<OrgDomain>(
      `SELECT ${COLUMNS} FROM sso_domains WHERE name = $1 AND status = 'verified'`,
      [name],
    );
    return row;
  }

  /** Locks all claims to a name until the transaction ends, always in the same order. */
  lockClaims(name: string): Promise<OrgDomain[]> {
    return this.sql<OrgDomain>(`SELECT ${COLUMNS} FROM sso_domains WHERE name = $1 ORDER BY id FOR UPDATE`, [name]);
  }

  /** Newest first. */
  async list(orgId: string, page: PageRequest): Promise<Page<OrgDomain>> {
    const rows = await this.sql<OrgDomain>(
      `SELECT ${COLUMNS} FROM sso_domains
       WHERE org_id = $1 AND ($2::text IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
      [orgId, page.after ?? null, page.limit + 1],
    );
    return pageOf(rows, page, ({ id }) => id);
  }

  verifiedOf(orgId: string): Promise<OrgDomain[]> {
    return this.sql<OrgDomain>(
      `SELECT ${COLUMNS} FROM sso_domains WHERE org_id = $1 AND status = 'verified' ORDER BY name`,
      [orgId],
    );
  }

  async namesOf(orgId: string): Promise<string[]> {
    const rows = await this.sql<{ name: string }>('SELECT name FROM sso_domains WHERE org_id = $1', [orgId]);
    return rows.map(({ name }) => name);
  }

  /** Returns domains whose check is due, the longest ones first. */
  due(at: Date, limit: number): Promise<OrgDomain[]> {
    return this.sql<OrgDomain>(
      `SELECT ${COLUMNS} FROM sso_domains WHERE next_check_at <= $1 ORDER BY next_check_at, id LIMIT $2`,
      [at, limit],
    );
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
