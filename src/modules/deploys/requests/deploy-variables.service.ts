import { Injectable } from '@nestjs/common';
import { CRON_SECRET, CronSecrets } from '../../crons/cron-secrets.js';
import type { LocalService } from '../../../platform/egress/local-service.js';
import { DeployEnvironment } from '../../hosting/deploy-environment.js';
import { type OpenedVariable, ProjectEnvService } from '../../projects/project-env.service.js';
import { ProjectsService } from '../../projects/projects.service.js';
import type { DeployVariables } from '../domain/deploy-facts.js';
import { secretMask } from '../../../platform/secrets/secret-mask.js';
import { DeployEnvironmentsStore } from '../persistence/deploy-environments.store.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import { DeploysStore } from '../persistence/deploys.store.js';
import { AttachedServices } from './attached-services.js';
import { SystemVariables } from './system-variables.js';

type DeployRef = Pick<Deploy, 'id' | 'projectId' | 'type'>;
type NewDeployRef = DeployRef & Pick<Deploy, 'branch'>;

/** The environment variables of deploys. A deploy keeps the variables that its project had when it started. */
@Injectable()
export class DeployVariablesService extends DeployEnvironment {
  constructor(
    private readonly env: ProjectEnvService,
    private readonly environments: DeployEnvironmentsStore,
    private readonly deploys: DeploysStore,
    private readonly projects: ProjectsService,
    private readonly system: SystemVariables,
    private readonly cronSecrets: CronSecrets,
    private readonly attached: AttachedServices,
  ) {
    super();
  }

  /**
   * Copies the current variables of the target to the deploy, with those of what is attached to the project, and
   * replaces those of an earlier attempt. Variables that the project itself has set win.
   */
  async keep(deploy: NewDeployRef): Promise<DeployVariables> {
    const { id, projectId, type } = deploy;
    const own = await this.env.sealedFor(projectId, type);
    const names = new Set(own.map(({ name }) => name));
    const attached = (await this.attached.variablesOf(deploy)).filter(({ name }) => !names.has(name));
    const sealed = [...this.env.seal(projectId, type, attached), ...own];
    await this.environments.set(id, sealed);
    const variables = variablesOf(this.env.open(projectId, type, sealed));
    return { ...variables, services: await this.attached.servicesOf(deploy, variables.values) };
  }

  /**
   * Adds the variables of the platform, with the secret by which the server recognizes requests of crons. Variables of
   * the project replace those with the same name.
   */
  async of(deployId: string): Promise<Readonly<Record<string, string>>> {
    const deploy = await this.deploys.get(deployId);
    const project = await this.projects.find(deploy.projectId);
    const system = project === null ? {} : this.system.forServer(deploy, project);
    const { values } = variablesOf(await this.opened(deploy));
    return { ...system, [CRON_SECRET]: this.cronSecrets.of(deploy.projectId), ...values };
  }

  async servicesOf(deployId: string): Promise<readonly LocalService[]> {
    const deploy = await this.deploys.get(deployId);
    const { values } = variablesOf(await this.opened(deploy));
    return this.attached.servicesOf(deploy, values);
  }

  /** The mask hides the same spellings as in the log of the deploy, and the secrets of crons. */
  async maskOf(deployId: string): Promise<(text: string) => string> {
    const deploy = await this.deploys.get(deployId);
    const { secretValues } = variablesOf(await this.opened(deploy));
    return secretMask([...secretValues, ...this.cronSecrets.everyOf(deploy.projectId)]);
  }

  /** True when two deploys have the same variables with the same values. */
  async haveSameValues(one: DeployRef, other: DeployRef): Promise<boolean> {
    const [ofOne, ofOther] = [await this.opened(one), await this.opened(other)];
    return (
      JSON.stringify(ofOne.map(({ name, value }) => [name, value])) ===
      JSON.stringify(ofOther.map(({ name, value }) => [name, value]))
    );
  }

  private async opened({ id, projectId, type }: DeployRef): Promise<OpenedVariable[]> {
    return this.env.open(projectId, type, await this.environments.get(id));
  }
}

function variablesOf(variables: readonly OpenedVariable[]): Omit<DeployVariables, 'services'> {
  return {
    values: Object.fromEntries(variables.map(({ name, value }) => [name, value])),
    secretValues: variables.filter(({ secret }) => secret).map(({ value }) => value),
  };
}
