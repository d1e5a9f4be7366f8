import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { type Project, ProjectsService } from '../../projects/projects.service.js';
import type { UsedDeploySettings } from '../domain/deploy-facts.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import { DeploysStore } from '../persistence/deploys.store.js';
import { ProjectHosts } from './project-hosts.js';

/**
 * `set` by the project, from a `file` of the repository, `detected` by a build, the `default` of the service, or
 * `unknown` until a build has found a value.
 */
export const SHOWN_SETTING_SOURCES = ['set', 'file', 'detected', 'default', 'unknown'] as const;

export interface ShownSetting {
  readonly value: string | number | null;
  readonly source: (typeof SHOWN_SETTING_SOURCES)[number];
}

/** The fields of projects that have a source, by their names in the API. */
const FIELDS = {
  framework: 'framework',
  root_directory: 'rootDirectory',
  install_command: 'installCommand',
  build_command: 'buildCommand',
  output_directory: 'outputDirectory',
  node_version: 'nodeVersion',
  start_command: 'startCommand',
  health_path: 'healthPath',
  start_timeout_ms: 'startTimeoutMs',
  build_network: 'buildNetwork',
} as const satisfies Readonly<Record<string, keyof Project>>;
type ShownSettingName = keyof typeof FIELDS;

export interface ShownSettings {
  /** The deploy whose build found the values that the project does not set; null before the first ready deploy. */
  readonly deployId: string | null;
  readonly settings: Readonly<Record<ShownSettingName, ShownSetting>>;
}

/** Shows the settings that builds and servers of a project use, with where each comes from. */
@Injectable()
export class ProjectSettingsService {
  constructor(
    private readonly projects: ProjectsService,
    private readonly deploys: DeploysStore,
    private readonly hosts: ProjectHosts,
  ) {}

  /**
   * Reads the settings that the project does not set from the build of its production deploy or, without one, of its
   * latest ready deploy.
   *
   * @throws {ProjectNotFound} `project_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async of(call: Call, projectIdOrSlug: string): Promise<ShownSettings> {
    const project = await this.projects.get(call, projectIdOrSlug, 'projects:read');
    const deploy = await this.builtDeployOf(project.id);
    const used = deploy?.output?.settings;
    const settings = Object.fromEntries(
      Object.entries(FIELDS).map(([name, field]) => [name, shown(project[field], used, name as ShownSettingName)]),
    );
    return { deployId: deploy?.id ?? null, settings: settings as ShownSettings['settings'] };
  }

  private async builtDeployOf(projectId: string): Promise<Deploy | undefined> {
    const productionId = await this.hosts.productionDeployOf(projectId);
    if (productionId !== undefined) return this.deploys.get(productionId);
    const { items } = await this.deploys.list(projectId, { state: 'ready' }, { limit: 1, after: undefined });
    return items[0];
  }
}

function shown(
  set: string | number | null,
  used: UsedDeploySettings | undefined,
  name: ShownSettingName,
): ShownSetting {
  if (set !== null) return { value: set, source: 'set' };
  if (name === 'build_network') return { value: 'registries', source: 'default' };
  const found = used?.[name];
  // A value that the project has set for that build and cleared since says nothing about the next one.
  return found === undefined || found.source === 'set' ? { value: null, source: 'unknown' } : found;
}
