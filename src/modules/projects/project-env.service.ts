import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { ENCRYPTION_OVERHEAD_BYTES } from '../../platform/secrets/key-ring.js';
import { Clock } from '../../platform/time/clock.js';
import type { Call } from '../auth/caller.js';
import { OrgDirectory } from '../orgs/org-directory.js';
import { EnvVault } from './env/env-vault.js';
import type { Project } from './persistence/project.entity.js';
import type { ProjectEnvVariable } from './persistence/project-env-variable.entity.js';
import { ProjectEnvStore } from './persistence/project-env.store.js';
import { ENV_TARGETS, type EnvTarget } from './project-settings.js';
import { EnvironmentTooLarge } from './projects.errors.js';
import { ProjectsService } from './projects.service.js';

const MAX_VARIABLES = 200;
const MAX_BYTES = 1_048_576;

export interface SetEnvVariableInput {
  readonly name: string;
  readonly value: string;
  readonly targets: readonly EnvTarget[];
  readonly secret: boolean;
}

/** An encrypted variable. It can be stored elsewhere, and only {@link ProjectEnvService.open} decrypts it. */
export interface SealedVariable {
  readonly name: string;
  readonly value: Buffer;
  readonly secret: boolean;
}

/** A decrypted variable, as a program receives it. */
export interface OpenedVariable {
  readonly name: string;
  readonly value: string;
  readonly secret: boolean;
}

/** A variable with the targets that share its value. */
export interface ShownVariable {
  readonly name: string;
  readonly targets: readonly EnvTarget[];
  readonly secret: boolean;
  readonly updatedAt: Date;
  /** Undefined for a secret, which is never shown again. */
  readonly value: string | undefined;
}

/** Manages the environment variables of projects. Secrets are given only to deploys. */
@Injectable()
export class ProjectEnvService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly variables: ProjectEnvStore,
    private readonly vault: EnvVault,
    private readonly owners: OrgDirectory,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the variables ordered by name.
   *
   * @throws {ProjectNotFound} `project_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async list(call: Call, idOrSlug: string): Promise<ShownVariable[]> {
    return this.shown(await this.projects.get(call, idOrSlug, 'projects:read'));
  }

  /**
   * Sets each variable in its targets, leaves all others unchanged, and returns all variables.
   *
   * @throws as {@link list}.
   * @throws {EnvironmentTooLarge} `invalid_request` when one target would have too many variables, or too large ones.
   */
  set(call: Call, idOrSlug: string, inputs: readonly SetEnvVariableInput[]): Promise<ShownVariable[]> {
    return this.database.transaction(async () => {
      const project = await this.projects.lock(call, idOrSlug, 'projects:write');
      const by = { updatedAt: this.clock.now(), updatedBy: call.principal.user.id };
      const rows = inputs.flatMap((input) =>
        input.targets.map((target) => ({ ...this.rowOf(project, input, target), ...by })),
      );
      await this.variables.set(rows);
      await this.requireWithinBounds(project);
      await this.record(call, project, { set: namesByTarget(rows) });
      return this.shown(project);
    });
  }

  /** Removes a variable from all targets, or from one. A missing variable is not an error. @throws as {@link list}. */
  remove(call: Call, idOrSlug: string, name: string, target: EnvTarget | undefined): Promise<void> {
    return this.database.transaction(async () => {
      const project = await this.projects.lock(call, idOrSlug, 'projects:write');
      const targets = await this.variables.remove(project.id, name, target);
      if (targets.length > 0)
        await this.record(call, project, { removed: namesByTarget(targets.map((one) => ({ target: one, name }))) });
    });
  }

  /**
   * Returns the encrypted variables for a program, ordered by name, so that they can be stored in their current state.
   */
  async sealedFor(projectId: string, target: EnvTarget): Promise<SealedVariable[]> {
    return (await this.variables.list(projectId, target)).map(({ name, value, isSecret }) => ({
      name,
      value,
      secret: isSecret,
    }));
  }

  /**
   * Decrypts the result of {@link sealedFor} for the same project and target, including secrets. Use it only to run
   * programs, and never in an answer.
   */
  open(projectId: string, target: EnvTarget, variables: readonly SealedVariable[]): OpenedVariable[] {
    return variables.map(({ name, value, secret }) => ({
      name,
      value: this.vault.open(value, { projectId, target, name }),
      secret,
    }));
  }

  /** Encrypts variables that are not those of the project itself, but go to the same programs. */
  seal(projectId: string, target: EnvTarget, variables: readonly OpenedVariable[]): SealedVariable[] {
    return variables.map(({ name, value, secret }) => ({
      name,
      value: this.vault.seal(value, { projectId, target, name }),
      secret,
    }));
  }

  /** Encrypts the same values with the newest key, in the same order. @throws {KeyMissing} */
  reencrypted(
    projectId: string,
    target: EnvTarget,
    variables: readonly Pick<SealedVariable, 'name' | 'value'>[],
  ): Pick<SealedVariable, 'name' | 'value'>[] {
    return variables.map(({ name, value }) => {
      const place = { projectId, target, name };
      return { name, value: this.vault.seal(this.vault.open(value, place), place) };
    });
  }

  private rowOf(
    { id: projectId }: Project,
    { name, value, secret }: SetEnvVariableInput,
    target: EnvTarget,
  ): Omit<ProjectEnvVariable, 'updatedAt' | 'updatedBy'> {
    return { projectId, target, name, value: this.vault.seal(value, { projectId, target, name }), isSecret: secret };
  }

  private async requireWithinBounds({ id }: Project): Promise<void> {
    for (const { target, variables, bytes } of await this.variables.sizes(id)) {
      if (variables > MAX_VARIABLES) {
        throw new EnvironmentTooLarge({
          code: 'max_variables',
          message: `${target} would have ${variables} variables, but the limit is ${MAX_VARIABLES}`,
          expected: { max: MAX_VARIABLES },
        });
      }
      const plain = bytes - variables * ENCRYPTION_OVERHEAD_BYTES;
      if (plain > MAX_BYTES) {
        throw new EnvironmentTooLarge({
          code: 'max_bytes',
          message: `The names and values of ${target} would have ${plain} bytes, but the limit is ${MAX_BYTES}`,
          expected: { max: MAX_BYTES },
        });
      }
    }
  }

  private async shown({ id }: Project): Promise<ShownVariable[]> {
    const groups = new Map<string, ShownVariable & { targets: EnvTarget[] }>();
    for (const row of await this.variables.list(id)) {
      const value = row.isSecret ? undefined : this.vault.open(row.value, row);
      // Secrets are not compared, because the answer must not reveal that two are equal. Targets that were set together
      // are grouped.
      const key = JSON.stringify([row.name, row.isSecret, row.updatedAt, value]);
      const group = groups.get(key);
      if (group === undefined)
        groups.set(key, {
          name: row.name,
          targets: [row.target],
          secret: row.isSecret,
          updatedAt: row.updatedAt,
          value,
        });
      else group.targets.push(row.target);
    }
    return [...groups.values()].map((group) => ({
      ...group,
      targets: ENV_TARGETS.filter((target) => group.targets.includes(target)),
    }));
  }

  private record(call: Call, { id, orgId }: Project, details: Readonly<Record<string, unknown>>): Promise<void> {
    return this.owners.record({ orgId, action: 'project.env_changed', target: { type: 'project', id }, details }, call);
  }
}

/** Lists the names by target for the audit log, which never records a value. */
function namesByTarget(
  rows: readonly Pick<ProjectEnvVariable, 'target' | 'name'>[],
): Partial<Record<EnvTarget, string[]>> {
  const byTarget = ENV_TARGETS.map(
    (target) => [target, rows.filter((row) => row.target === target).map(({ name }) => name)] as const,
  );
  return Object.fromEntries(byTarget.filter(([, names]) => names.length > 0));
}
