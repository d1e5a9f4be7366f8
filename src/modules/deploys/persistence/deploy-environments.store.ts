import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { SealedVariable } from '../../projects/project-env.service.js';

/** A variable as it lies in JSON. */
interface KeptVariable {
  readonly name: string;
  /** Base64 of what is sealed. */
  readonly value: string;
  readonly secret: boolean;
}

/** The environments that deploys were built with, sealed as those of projects are. */
@Injectable()
export class DeployEnvironmentsStore {
  constructor(private readonly database: Database) {}

  async set(deployId: string, variables: readonly SealedVariable[]): Promise<void> {
    const kept: KeptVariable[] = variables.map(({ name, value, secret }) => ({ name, value: value.toString('base64'), secret }));
    await this.database.manager.query(`
      INSERT INTO deploy_environments (deploy_id, variables) VALUES ($1, $2::jsonb)
      ON CONFLICT (deploy_id) DO UPDATE SET variables = excluded.variables`, [deployId, JSON.stringify(kept)]);
  }

  /** Of a deploy that has none kept: nothing. */
  async get(deployId: string): Promise<SealedVariable[]> {
    const [row] = await this.database.manager.query<{ variables: KeptVariable[] }[]>('SELECT variables FROM deploy_environments WHERE deploy_id = $1', [deployId]);
    return (row?.variables ?? []).map(({ name, value, secret }) => ({ name, value: Buffer.from(value, 'base64'), secret }));
  }

  async remove(deployIds: readonly string[]): Promise<void> {
    await this.database.manager.query('DELETE FROM deploy_environments WHERE deploy_id = ANY($1)', [deployIds]);
  }
}
