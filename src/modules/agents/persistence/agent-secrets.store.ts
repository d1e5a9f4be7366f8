import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** A secret as it is stored. Its value is encrypted. */
export interface AgentSecret {
  readonly agentId: string;
  readonly name: string;
  readonly value: Buffer;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly updatedBy: string | null;
}

const COLUMNS = `
  agent_id AS "agentId", name, value, created_at AS "createdAt", updated_at AS "updatedAt", updated_by AS "updatedBy"`;

/** Callers that change secrets must hold the lock of the agent. */
@Injectable()
export class AgentSecretsStore {
  constructor(private readonly database: Database) {}

  /** Returns the secrets ordered by name. */
  list(agentId: string): Promise<AgentSecret[]> {
    return this.sql<AgentSecret>(`SELECT ${COLUMNS} FROM agent_secrets WHERE agent_id = $1 ORDER BY name`, [agentId]);
  }

  async find(agentId: string, name: string): Promise<AgentSecret | undefined> {
    const [row] = await this.sql<AgentSecret>(
      `SELECT ${COLUMNS} FROM agent_secrets WHERE agent_id = $1 AND name = $2`,
      [agentId, name],
    );
    return row;
  }

  async lock(agentId: string, name: string): Promise<AgentSecret | undefined> {
    const [row] = await this.sql<AgentSecret>(
      `SELECT ${COLUMNS} FROM agent_secrets WHERE agent_id = $1 AND name = $2 FOR UPDATE`,
      [agentId, name],
    );
    return row;
  }

  /** Sets or replaces the secret, and returns it with the time of its first value. */
  async set({ agentId, name, value, updatedAt, updatedBy }: Omit<AgentSecret, 'createdAt'>): Promise<AgentSecret> {
    const [row] = await this.sql<AgentSecret>(
      `INSERT INTO agent_secrets (agent_id, name, value, created_at, updated_at, updated_by)
       VALUES ($1, $2, $3, $4, $4, $5)
       ON CONFLICT (agent_id, name) DO UPDATE
         SET value = excluded.value, updated_at = excluded.updated_at, updated_by = excluded.updated_by
       RETURNING ${COLUMNS}`,
      [agentId, name, value, updatedAt, updatedBy],
    );
    return row!;
  }

  async replaceValue(agentId: string, name: string, value: Buffer): Promise<void> {
    await this.sql('UPDATE agent_secrets SET value = $3 WHERE agent_id = $1 AND name = $2', [agentId, name, value]);
  }

  /** Returns true when there was one. */
  async remove(agentId: string, name: string): Promise<boolean> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      'DELETE FROM agent_secrets WHERE agent_id = $1 AND name = $2',
      [agentId, name],
    );
    return count > 0;
  }

  async removeAll(agentId: string): Promise<void> {
    await this.sql('DELETE FROM agent_secrets WHERE agent_id = $1', [agentId]);
  }

  /** Returns secrets after `last`, in order, that do not begin with this mark. */
  withoutMark(mark: Buffer, last: AgentSecret | undefined, limit: number): Promise<AgentSecret[]> {
    return this.sql<AgentSecret>(
      `SELECT ${COLUMNS} FROM agent_secrets
       WHERE substring(value FOR octet_length($1::bytea)) <> $1 AND (agent_id, name) > ($2, $3)
       ORDER BY agent_id, name LIMIT $4`,
      [mark, last?.agentId ?? '', last?.name ?? '', limit],
    );
  }

  private sql<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.database.manager.query<Row[]>(text, values);
  }
}
