import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { EnvTarget } from '../project-settings.js';
import { ProjectEnvVariable } from './project-env-variable.entity.js';

/** The total size of the variables of one target. */
export interface EnvSize {
  readonly target: EnvTarget;
  readonly variables: number;
  /** The size of names and encrypted values. */
  readonly bytes: number;
}

/** The variables of a project for one target. */
export interface EnvGroup {
  readonly projectId: string;
  readonly target: EnvTarget;
}

/** Callers that change variables must hold the lock of the project. */
@Injectable()
export class ProjectEnvStore {
  constructor(private readonly database: Database) {}

  /** Returns the variables ordered by name. */
  list(projectId: string, target?: EnvTarget): Promise<ProjectEnvVariable[]> {
    return this.database.manager.find(ProjectEnvVariable, {
      where: { projectId, ...(target === undefined ? {} : { target }) },
      order: { name: 'ASC' },
    });
  }

  async set(variables: readonly ProjectEnvVariable[]): Promise<void> {
    await this.database.manager.upsert(ProjectEnvVariable, [...variables], ['projectId', 'target', 'name']);
  }

  /** Removes the variable from all targets, or from one, and returns the targets that it was removed from. */
  async remove(projectId: string, name: string, target: EnvTarget | undefined): Promise<EnvTarget[]> {
    const rows = await this.database.manager.query<[{ target: EnvTarget }[], number]>(
      `
      DELETE FROM project_env
      WHERE project_id = $1 AND name = $2 AND ($3::text IS NULL OR target = $3) RETURNING target`,
      [projectId, name, target ?? null],
    );
    return rows[0].map((row) => row.target);
  }

  async removeAll(projectId: string): Promise<void> {
    await this.database.manager.delete(ProjectEnvVariable, { projectId });
  }

  /** Returns the groups, in order, with values that do not begin with this mark. */
  withoutMark(mark: Buffer, after: EnvGroup | undefined, limit: number): Promise<EnvGroup[]> {
    return this.database.manager.query<EnvGroup[]>(
      `
      SELECT DISTINCT project_id AS "projectId", target FROM project_env
      WHERE substring(value FOR octet_length($1::bytea)) <> $1 AND (project_id, target) > ($2, $3)
      ORDER BY project_id, target LIMIT $4`,
      [mark, after?.projectId ?? '', after?.target ?? '', limit],
    );
  }

  sizes(projectId: string): Promise<EnvSize[]> {
    return this.database.manager.query<EnvSize[]>(
      `
      SELECT target, count(*)::int AS variables, sum(octet_length(name) + octet_length(value))::int AS bytes
      FROM project_env WHERE project_id = $1 GROUP BY target ORDER BY target`,
      [projectId],
    );
  }
}
