import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import { violatedConstraintOf } from '../../../platform/database/violated-constraint.js';
import { DomainAlreadyAdded } from '../domains.errors.js';
import type { DomainState } from '../claims/domain-state.js';
import { Domain } from './domain.entity.js';

const CLAIMED_ONCE = 'domains_claimed_once';

@Injectable()
export class DomainsStore {
  constructor(private readonly database: Database) {}

  /** @throws {DomainAlreadyAdded} `already_exists` */
  async insert(domain: Domain): Promise<void> {
    try {
      await this.database.manager.insert(Domain, domain);
    } catch (error) {
      throw violatedConstraintOf(error) === CLAIMED_ONCE ? new DomainAlreadyAdded(domain.name) : error;
    }
  }

  async save({ id, ...changed }: Domain): Promise<void> {
    await this.database.manager.update(Domain, { id }, changed);
  }

  async remove(id: string): Promise<void> {
    await this.database.manager.delete(Domain, { id });
  }

  /** Finds a domain of the project by its id or name. */
  find(projectId: string, idOrName: string): Promise<Domain | null> {
    return this.database.manager.findOne(Domain, {
      where: [
        { projectId, id: idOrName },
        { projectId, name: idOrName },
      ],
    });
  }

  /** Finds the claim of an organization to a name. */
  findClaim(orgId: string, name: string): Promise<Domain | null> {
    return this.database.manager.findOneBy(Domain, { orgId, name });
  }

  /** Locks all claims to a name until the transaction ends, always in the same order. */
  lockClaims(name: string): Promise<Domain[]> {
    return this.database.manager.find(Domain, {
      where: { name },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Returns the newest domains first. */
  async list(projectId: string, page: PageRequest): Promise<Page<Domain>> {
    const query = this.database.manager
      .createQueryBuilder(Domain, 'domain')
      .where('domain.project_id = :projectId', { projectId })
      .orderBy('domain.id', 'DESC')
      .limit(page.limit + 1);
    if (page.after !== undefined) query.andWhere('domain.id < :after', { after: page.after });
    return pageOf(await query.getMany(), page, ({ id }) => id);
  }

  ofProject(projectId: string): Promise<Domain[]> {
    return this.database.manager.find(Domain, { where: { projectId }, order: { name: 'ASC' } });
  }

  ofOrg(orgId: string): Promise<Domain[]> {
    return this.database.manager.find(Domain, { where: { orgId }, order: { name: 'ASC' } });
  }

  count(projectId: string): Promise<number> {
    return this.database.manager.countBy(Domain, { projectId });
  }

  /** Returns the token of a claim of the organization to one of these names. */
  async tokenOf(orgId: string, names: readonly string[]): Promise<string | undefined> {
    const domain = await this.database.manager.findOne(Domain, { where: { orgId, name: In([...names]) } });
    return domain?.challengeToken;
  }

  /** Returns the domains of the project that redirect to this name. */
  redirectingTo(projectId: string, name: string): Promise<Domain[]> {
    return this.database.manager.find(Domain, { where: { projectId, redirectTo: name }, order: { name: 'ASC' } });
  }

  /** Returns like {@link redirectingTo}, and locks the domains until the transaction ends. */
  lockRedirectingTo(projectId: string, name: string): Promise<Domain[]> {
    return this.database.manager.find(Domain, {
      where: { projectId, redirectTo: name },
      order: { name: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Counts all domains, and returns for how long the check of a held one has been due at the most. */
  async countByState(at: Date): Promise<{ counts: ReadonlyMap<DomainState, number>; overdueSeconds: number }> {
    const rows = await this.database.manager.query<{ state: DomainState; count: number; overdue: number }[]>(
      `
      SELECT state, count(*)::int AS count,
        coalesce(greatest(0, extract(epoch FROM $1::timestamptz - min(next_check_at))), 0)::float8 AS overdue
      FROM domains GROUP BY state`,
      [at],
    );
    return {
      counts: new Map(rows.map(({ state, count }) => [state, count])),
      overdueSeconds: Math.max(0, ...rows.filter(({ state }) => state !== 'pending').map(({ overdue }) => overdue)),
    };
  }

  /** Returns domains whose check is due, held ones first: anybody can add names that are never proved. */
  async due(at: Date, limit: number): Promise<Domain[]> {
    return this.database.manager
      .createQueryBuilder(Domain, 'domain')
      .where('domain.next_check_at <= :at', { at })
      .orderBy("domain.state = 'pending'")
      .addOrderBy('domain.next_check_at')
      .limit(limit)
      .getMany();
  }

  /** Returns the domain that is served under one of the names, of which the first one wins. */
  async findServed(names: readonly string[]): Promise<Domain | undefined> {
    const domains = await this.database.manager.find(Domain, { where: { name: In([...names]) } });
    return names.map((name) => domains.find((domain) => domain.name === name && domain.isServed)).find(Boolean);
  }

  /** Records a name below a wildcard, unless there are as many as may be. Returns whether the name is recorded. */
  async admitBelowWildcard(domainId: string, name: string, { most, at }: { most: number; at: Date }): Promise<boolean> {
    await this.database.manager.query(
      `
      INSERT INTO wildcard_host_names (domain_id, name, created_at)
      SELECT $1, $2, $3 WHERE (SELECT count(*) FROM wildcard_host_names WHERE domain_id = $1) < $4
      ON CONFLICT DO NOTHING`,
      [domainId, name, at, most],
    );
    const rows = await this.database.manager.query<unknown[]>(
      'SELECT 1 FROM wildcard_host_names WHERE domain_id = $1 AND name = $2',
      [domainId, name],
    );
    return rows.length > 0;
  }
}
