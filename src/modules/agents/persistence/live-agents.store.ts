import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/prepared.js';
import type { VersionRow } from './agent-versions.store.js';

/** The live version of an agent. */
export interface LiveVersionRow extends VersionRow {
  readonly isActive: boolean;
}

const FIND_ALL = prepared(`
  SELECT version.agent_id AS "agentId", version.org_id AS "orgId", version.number, version.definition,
    version.created_at AS "createdAt", version.created_by AS "createdBy", agent.state = 'active' AS "isActive"
  FROM agents agent JOIN agent_versions version
    ON version.agent_id = agent.id AND version.number = agent.live_version
  WHERE agent.id = ANY($1::text[]) AND agent.deleted_at IS NULL`);

@Injectable()
export class LiveAgentsStore {
  constructor(private readonly database: Database) {}

  /** Leaves out agents that are deleted or never existed. */
  findAll(agentIds: readonly string[]): Promise<LiveVersionRow[]> {
    return this.database.manager.query<LiveVersionRow[]>(FIND_ALL, [agentIds]);
  }
}
