import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { SealedVariable } from '../../projects/project-env.service.js';
import type { EnvTarget } from '../../projects/project-settings.js';

/** The JSON form of a variable. */
interface KeptVariable {
  readonly name: string;
  /** The encrypted value in Base64. */
  readonly value: string;
  readonly secret: boolean;
}

/** The copy of its project's variables for its target that a deploy keeps. */
export interface KeptEnvironment {
  readonly deployId: string;
  readonly projectId: string;
  readonly target: EnvTarget;
  readonly variables: readonly SealedVariable[];
}

/** The environments that deploys were built with, encrypted like those of projects. */
@Injectable()
export class DeployEnvironmentsStore {
  constructor(private readonly database: Database) {}

  async set(deployId: string, variables: readonly SealedVariable[]): Promise<void> {
    await this.database.manager.query(
      `
      INSERT INTO deploy_environments (deploy_id, variables) VALUES ($1, $2::jsonb)
      ON CONFLICT (deploy_id) DO UPDATE SET variables = excluded.variables`,
      [deployId, JSON.stringify(variables.map(toKept))],
    );
  }

  /** Empty when the deploy has no environment. */
  async get(deployId: string): Promise<SealedVariable[]> {
    const [row] = await this.database.manager.query<{ variables: KeptVariable[] }[]>(
      'SELECT variables FROM deploy_environments WHERE deploy_id = $1',
      [deployId],
    );
    return (row?.variables ?? []).map(fromKept);
  }

  /** Environments with a value that does not begin with this mark, in the order of their deploys. */
  async withoutMark(mark: Buffer, afterDeployId: string, limit: number): Promise<KeptEnvironment[]> {
    const rows = await this.database.manager.query<
      (Omit<KeptEnvironment, 'variables'> & { variables: KeptVariable[] })[]
    >(
      `
      SELECT e.deploy_id AS "deployId", d.project_id AS "projectId", d.type AS target, e.variables
      FROM deploy_environments e JOIN deploys d ON d.id = e.deploy_id
      WHERE e.deploy_id > $2 AND EXISTS (
        SELECT FROM jsonb_array_elements(e.variables) v
        WHERE substring(decode(v->>'value', 'base64') FOR octet_length($1::bytea)) <> $1)
      ORDER BY e.deploy_id LIMIT $3`,
      [mark, afterDeployId, limit],
    );
    return rows.map((row) => ({ ...row, variables: row.variables.map(fromKept) }));
  }

  /** Re-encrypts the same values, unless they have been replaced meanwhile. */
  async replace(
    deployId: string,
    present: readonly SealedVariable[],
    reencrypted: readonly Pick<SealedVariable, 'value'>[],
  ): Promise<void> {
    const next = present.map((variable, index) => toKept({ ...variable, value: reencrypted[index]!.value }));
    await this.database.manager.query(
      'UPDATE deploy_environments SET variables = $3::jsonb WHERE deploy_id = $1 AND variables = $2::jsonb',
      [deployId, JSON.stringify(present.map(toKept)), JSON.stringify(next)],
    );
  }

  async remove(deployIds: readonly string[]): Promise<void> {
    await this.database.manager.query('DELETE FROM deploy_environments WHERE deploy_id = ANY($1)', [deployIds]);
  }
}

const toKept = ({ name, value, secret }: SealedVariable): KeptVariable => ({
  name,
  value: value.toString('base64'),
  secret,
});

const fromKept = ({ name, value, secret }: KeptVariable): SealedVariable => ({
  name,
  value: Buffer.from(value, 'base64'),
  secret,
});
