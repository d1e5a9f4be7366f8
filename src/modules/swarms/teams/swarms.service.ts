import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import type { Call } from '../../auth/caller.js';
import type { Scope } from '../../auth/scopes.js';
import { swarmSubject } from '../../credits/budget-subject.js';
import { WorkBudgetsService } from '../../credits/work-budgets.service.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { isSwarmOver, type Swarm, type SwarmState, type TaskCounts } from '../persistence/swarm-rows.js';
import { SwarmTasksStore } from '../persistence/swarm-tasks.store.js';
import { SwarmsStore } from '../persistence/swarms.store.js';
import { SwarmAlreadyOver, SwarmNotFound } from '../swarms.errors.js';
import { type CreateSwarmInput, SwarmCreation } from './swarm-creation.js';
import { SwarmEnds } from './swarm-ends.js';

/** A swarm with its tasks by state and what it has spent. */
export interface ShownSwarm {
  readonly swarm: Swarm;
  readonly tasks: TaskCounts;
  readonly spentNano: bigint;
}

/** Swarms for callers of the API. */
@Injectable()
export class SwarmsService {
  constructor(
    private readonly database: Database,
    private readonly swarms: SwarmsStore,
    private readonly tasks: SwarmTasksStore,
    private readonly creation: SwarmCreation,
    private readonly ends: SwarmEnds,
    private readonly budgets: WorkBudgetsService,
    private readonly orgs: OrgDirectory,
  ) {}

  /**
   * Creates a swarm in the organization of the call, and queues the run of its coordinator.
   *
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   * @throws {SwarmAgentsNotFound} `agent_not_found`
   * @throws {AgentPaused} `agent_paused`
   * @throws {TooManySwarms} `concurrency_limit_exceeded`
   */
  create(call: Call, input: CreateSwarmInput): Promise<ShownSwarm> {
    return this.database.transaction(async () => {
      const swarm = await this.creation.add(call, input);
      await this.record(call, 'swarm.created', swarm);
      return this.shown(swarm);
    });
  }

  /** Returns the swarms of the organization of the call, newest first. */
  async list({ org }: Call, state: SwarmState | undefined, page: PageRequest): Promise<Page<ShownSwarm>> {
    const { items, next } = await this.swarms.list(org.id, state, page);
    return { items: await this.shownAll(org.id, items), next };
  }

  /** @throws {SwarmNotFound} `swarm_not_found` @throws {InsufficientScopes} `insufficient_scopes` */
  async get(call: Call, id: string): Promise<ShownSwarm> {
    return this.shown(await this.of(call, id, 'agents:read'));
  }

  /** Its runs end within moments. @throws as {@link get}. @throws {SwarmAlreadyOver} `swarm_already_over` */
  cancel(call: Call, id: string): Promise<ShownSwarm> {
    return this.database.transaction(async () => {
      const { orgId } = await this.of(call, id, 'agents:run');
      const swarm = (await this.swarms.lock(id))!;
      if (isSwarmOver(swarm.state)) throw new SwarmAlreadyOver(swarm.state);
      await this.ends.end(swarm, 'cancelled');
      await this.record(call, 'swarm.cancelled', swarm);
      return this.shown((await this.swarms.find([orgId], id))!);
    });
  }

  private async of({ principal }: Call, id: string, scope: Scope): Promise<Swarm> {
    const swarm = await this.swarms.find(principal.lookupOrgIds, id);
    if (swarm === undefined) throw new SwarmNotFound();
    principal.require(scope, swarm.orgId);
    return swarm;
  }

  private async shown(swarm: Swarm): Promise<ShownSwarm> {
    return (await this.shownAll(swarm.orgId, [swarm]))[0]!;
  }

  private async shownAll(orgId: string, swarms: readonly Swarm[]): Promise<ShownSwarm[]> {
    if (swarms.length === 0) return [];
    const counts = await this.tasks.counts(swarms.map(({ id }) => id));
    const spending = await this.budgets.spendingOf(
      orgId,
      swarms.map(({ id }) => swarmSubject(id)),
    );
    return swarms.map((swarm) => ({
      swarm,
      tasks: counts.get(swarm.id)!,
      spentNano: spending.get(swarmSubject(swarm.id))?.postedNano ?? 0n,
    }));
  }

  private record(call: Call, action: `swarm.${string}`, { id, orgId, name, costNano }: Swarm): Promise<void> {
    const details = { name, cost: formatUsd(costNano) };
    return this.orgs.record({ orgId, action, target: { type: 'swarm', id }, details }, call);
  }
}
