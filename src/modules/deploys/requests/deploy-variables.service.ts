import { Injectable } from '@nestjs/common';
import { DeployEnvironment } from '../../hosting/deploy-environment.js';
import { type OpenedVariable, ProjectEnvService } from '../../projects/project-env.service.js';
import type { DeployVariables } from '../domain/deploy-facts.js';
import { DeployEnvironmentsStore } from '../persistence/deploy-environments.store.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import { DeploysStore } from '../persistence/deploys.store.js';

type Of = Pick<Deploy, 'id' | 'projectId' | 'type'>;

/** The environment variables of deploys: those of the project when a deploy began, whatever becomes of them since. */
@Injectable()
export class DeployVariablesService extends DeployEnvironment {
  constructor(
    private readonly env: ProjectEnvService,
    private readonly environments: DeployEnvironmentsStore,
    private readonly deploys: DeploysStore,
  ) {
    super();
  }

  /** Takes what is set for the target now; an earlier attempt's is replaced. */
  async keep({ id, projectId, type }: Of): Promise<DeployVariables> {
    const sealed = await this.env.sealedFor(projectId, type);
    await this.environments.set(id, sealed);
    return variablesOf(this.env.open(projectId, type, sealed));
  }

  async of(deployId: string): Promise<Readonly<Record<string, string>>> {
    return variablesOf(await this.opened(await this.deploys.get(deployId))).values;
  }

  /** Whether two deploys have the same variables with the same values. */
  async areAlike(one: Of, other: Of): Promise<boolean> {
    const [ofOne, ofOther] = [await this.opened(one), await this.opened(other)];
    return (
      JSON.stringify(ofOne.map(({ name, value }) => [name, value])) ===
      JSON.stringify(ofOther.map(({ name, value }) => [name, value]))
    );
  }

  /** By name. */
  private async opened({ id, projectId, type }: Of): Promise<OpenedVariable[]> {
    return this.env.open(projectId, type, await this.environments.get(id));
  }
}

function variablesOf(variables: readonly OpenedVariable[]): DeployVariables {
  return {
    values: Object.fromEntries(variables.map(({ name, value }) => [name, value])),
    secretValues: variables.filter(({ secret }) => secret).map(({ value }) => value),
  };
}
