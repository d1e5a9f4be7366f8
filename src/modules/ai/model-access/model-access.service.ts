import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import type { Call } from '../../auth/caller.js';
import { KeysService, type ShownKey } from '../../auth/keys.service.js';
import { SERVICE_DOOR_ADDRESS } from '../../hosting/service-door-address.js';
import { ProjectEnvService, type SetEnvVariableInput } from '../../projects/project-env.service.js';
import { ENV_TARGETS } from '../../projects/project-settings.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { ModelVariablesTaken } from './model-variables-taken.js';

const BASE_URL = 'OPENAI_BASE_URL';
const API_KEY = 'OPENAI_API_KEY';
const API_PATH = '/api/v1/ai';

/** Lets the deploys of a project call models, with a key that is bound to the project. */
@Injectable()
export class ModelAccessService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly env: ProjectEnvService,
    private readonly keys: KeysService,
    private readonly config: Config,
  ) {}

  /**
   * Returns the key of the project, or undefined when its deploys have none.
   *
   * @throws {ProjectNotFound} `project_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async find(call: Call, idOrSlug: string): Promise<ShownKey | undefined> {
    const { id } = await this.projects.get(call, idOrSlug, 'projects:read');
    return this.keys.ofProject(id);
  }

  /**
   * Makes a key with the scope `ai:invoke` and sets it as a variable of the project, unless the project has one. The
   * next deploy uses it.
   *
   * @throws as {@link find}.
   * @throws {ModelVariablesTaken} `already_exists`: the project has variables of these names.
   */
  enable(call: Call, idOrSlug: string): Promise<ShownKey> {
    return this.database.transaction(async () => {
      const project = await this.projects.lock(call, idOrSlug, 'projects:write');
      const existing = await this.keys.ofProject(project.id);
      if (existing !== undefined) return existing;
      const taken = (await this.env.list(call, project.id))
        .map(({ name }) => name)
        .filter((name) => name === BASE_URL || name === API_KEY);
      if (taken.length > 0) throw new ModelVariablesTaken(taken);
      const { secret, ...key } = await this.keys.create(call, {
        kind: 'org_bound',
        name: `Models of ${project.slug}`,
        scopes: ['ai:invoke'],
        orgs: [project.orgId],
        allowedIps: [],
        expiresAt: null,
        projectId: project.id,
      });
      await this.env.set(call, project.id, this.variables(secret));
      return key;
    });
  }

  /** Revokes the key at once, and removes the variables from the next deploy on. @throws as {@link find}. */
  disable(call: Call, idOrSlug: string): Promise<void> {
    return this.database.transaction(async () => {
      const project = await this.projects.lock(call, idOrSlug, 'projects:write');
      const existing = await this.keys.ofProject(project.id);
      if (existing === undefined) return;
      await this.keys.revoke(call, existing.key.id);
      for (const name of [BASE_URL, API_KEY]) await this.env.remove(call, project.id, name, undefined);
    });
  }

  /** Revokes the key of a deleted project. */
  removeProject(projectId: string): Promise<void> {
    return this.database.transaction(() => this.keys.revokeOfProject(projectId, {}, 'project_deleted'));
  }

  private variables(secret: string): SetEnvVariableInput[] {
    return [
      { name: BASE_URL, value: SERVICE_DOOR_ADDRESS + API_PATH, targets: ['production', 'preview'], secret: false },
      { name: BASE_URL, value: this.config.publicUrl + API_PATH, targets: ['development'], secret: false },
      { name: API_KEY, value: secret, targets: ENV_TARGETS, secret: true },
    ];
  }
}
