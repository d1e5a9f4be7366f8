import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Settings } from '../config/settings.js';
import { QueueWorkers } from '../queues/queue-workers.js';
import { BackgroundCatalog, isSchedule } from './background-catalog.js';
import type { JobHandler } from './define-job.js';
import type { ProcessRole, ScheduleHandler } from './define-schedule.js';
import { handledBy, type WorkDefinition } from './handles.js';
import { Schedules } from './schedules.js';

/** The roles of this process: one, or several in tests. */
export const PROCESS_ROLES = Symbol('roles of the process');

/**
 * Starts the background work of this process: what the catalog declares for its roles, with the handlers that discovery
 * finds. A process whose declarations and handlers do not match refuses to start.
 */
@Injectable()
export class BackgroundWork implements OnApplicationBootstrap {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly catalog: BackgroundCatalog,
    private readonly settings: Settings,
    private readonly workers: QueueWorkers,
    private readonly schedules: Schedules,
    @Inject(PROCESS_ROLES) private readonly roles: readonly ProcessRole[],
  ) {}

  onApplicationBootstrap(): void {
    const handlers = this.findHandlers();
    for (const work of this.catalog.work.filter((each) => this.runsHere(each))) {
      const handler = handlers.get(work);
      if (handler === undefined) throw new Error(`No provider of this process handles ${work.name}.`);
      if (isSchedule(work)) this.schedules.start(work, handler as ScheduleHandler);
      else if (work.startedByModule !== true)
        this.workers.start(work, handler as JobHandler<object>, {
          concurrency: work.concurrencyOf?.(this.settings) ?? work.concurrency,
        });
    }
  }

  /** @throws {Error} when one piece of work has two handlers, and when a handler's work is not in the catalog. */
  private findHandlers(): Map<WorkDefinition, object> {
    const handlers = new Map<WorkDefinition, object>();
    // A module that several others import provides the same instance to each, so instances are compared.
    const instances = new Set(
      this.discovery
        .getProviders()
        .filter(({ metatype }) => metatype != null)
        .map(({ instance }) => instance as unknown),
    );
    for (const instance of instances) {
      if (typeof instance !== 'object' || instance === null) continue;
      const work = handledBy(instance.constructor);
      if (work === undefined) continue;
      if (!this.catalog.work.includes(work))
        throw new Error(`${instance.constructor.name} handles ${work.name}, which is not in the catalog.`);
      if (handlers.has(work)) throw new Error(`${work.name} has two handlers.`);
      handlers.set(work, instance);
    }
    return handlers;
  }

  private runsHere(work: WorkDefinition): boolean {
    const roles: readonly ProcessRole[] = (isSchedule(work) ? work.roles : undefined) ?? ['worker'];
    return roles.some((role) => this.roles.includes(role));
  }
}
