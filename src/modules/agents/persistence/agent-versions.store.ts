import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import { prepared } from '../../../platform/database/prepared.js';
import type { StoredDefinition } from '../domain/stored-definition.js';

/** A version as it is stored. */
export interface VersionRow {
  readonly agentId: string;
  readonly orgId: string;
  readonly number: number;
  readonly definition: StoredDefinition;
  readonly createdAt: Date;
  readonly createdBy: string | null;
}

const COLUMNS = `
  agent_id AS "agentId", org_id AS "orgId", number, definition, created_at AS "createdAt", created_by AS "createdBy"`;

const FIND = prepared(`SELECT ${COLUMNS} FROM agent_versions WHERE agent_id = $1 AND number = $2`);

@Injectable()
export class AgentVersionsStore {
  constructor(private readonly database: Database) {}

  async insert({ agentId, orgId, number, definition, createdAt, createdBy }: VersionRow): Promise<void> {
    await this.sql(
      `INSERT INTO agent_versions (agent_id, org_id, number, definition, created_at, created_by)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [agentId, orgId, number, JSON.stringify(definition), createdAt, createdBy],
    );
  }

  async find(agentId: string, number: number): Promise<VersionRow | undefined> {
    const [row] = await this.sql<VersionRow>(FIND, [agentId, number]);
    return row;
  }

  /** Newest first. */
  async list(agentId: string, page: PageRequest): Promise<Page<VersionRow>> {
    const rows = await this.sql<VersionRow>(
      `SELECT ${COLUMNS} FROM agent_versions
       WHERE agent_id = $1 AND ($2::int IS NULL OR number < $2) ORDER BY number DESC LIMIT $3`,
      [agentId, page.after === undefined ? null : Number(page.after), page.limit + 1],
    );
    return pageOf(rows, page, ({ number }) => String(number));
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
