import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type HealthIndicatorFunction, type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { DatabaseHealth } from '../../../platform/database/database-health.js';
import { SiblingProcesses } from '../../../platform/lifecycle/sibling-processes.js';
import { Queues } from '../../../platform/queues/queues.js';
import { refusesWrites } from '../../../platform/redis/redis-unavailable.js';
import { RedisConnections } from '../../../platform/redis/redis-connections.js';
import { StorageRoom } from '../../../platform/storage/storage-room.js';
import { OptionalParts } from './optional-parts.js';

const CHECK_TIMEOUT_MS = 1_000;
const PROBE_KEY = 'ready:probe';
const PROBE_KEPT_SECONDS = 60;

/** Checks each part of the service, and decides whether its failure makes the service unavailable or degraded. */
@Injectable()
export class PartChecks {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly database: DatabaseHealth,
    private readonly redis: RedisConnections,
    private readonly queues: Queues,
    private readonly optional: OptionalParts,
    private readonly siblings: SiblingProcesses,
    private readonly storage: StorageRoom,
  ) {}

  list(): HealthIndicatorFunction[] {
    return [
      () => this.part('database', () => this.database.ping()),
      () => this.part('migrations', () => this.requireMigrations()),
      () => this.redisPart(),
      () => this.part('queues', () => Promise.all(this.queues.all().map((queue) => queue.getWaitingCount()))),
      () => this.optional.sandbox(),
      () => this.optional.appNetwork(),
      () => this.optional.imageBuilds(),
      ...(this.siblings.haveStarted
        ? []
        : [() => this.part('processes', () => Promise.reject(new NotReady('are still starting')))]),
      ...Object.entries(this.siblings.states())
        .filter(([role]) => role !== 'api')
        .map(
          ([role, { isUp }]) =>
            () =>
              this.processPart(role, isUp),
        ),
      () => this.storagePart(),
    ];
  }

  private part(name: string, check: () => Promise<unknown>): Promise<HealthIndicatorResult> {
    const attempt = this.indicators.check(name).attempt(async () => {
      try {
        await check();
      } catch (error) {
        throw error instanceof NotReady ? error : new NotReady('does not answer');
      }
    });
    return Promise.resolve(attempt.withTimeout(CHECK_TIMEOUT_MS));
  }

  /**
   * A Redis that refuses writes, because its disk or its memory is full, only degrades the service: calls are served
   * and counted in each process. All processes share it, so that 503 would leave a load balancer without any backend.
   */
  private async redisPart(): Promise<HealthIndicatorResult> {
    const write = this.redis.producer().set(PROBE_KEY, '1', 'EX', PROBE_KEPT_SECONDS);
    const refused = write.then(() => false, refusesWrites);
    const inTime = sleep(CHECK_TIMEOUT_MS, false, { ref: false });
    if (await Promise.race([refused, inTime])) return this.indicators.check('redis').degraded('takes no writes');
    return this.part('redis', () => write);
  }

  private async requireMigrations(): Promise<void> {
    const pending = await this.database.pendingMigrations();
    if (pending.length > 0) throw new NotReady(`${pending.length} not applied`);
  }

  /** A process that has died only degrades the service, because the supervisor restarts it within a second. */
  private processPart(role: string, isUp: boolean): HealthIndicatorResult {
    const indicator = this.indicators.check(role);
    return isUp ? indicator.up() : indicator.degraded({ message: 'is restarting' });
  }

  /** Reads work on a full disk, so that it only degrades the service. */
  private storagePart(): HealthIndicatorResult {
    const indicator = this.indicators.check('storage');
    return this.storage.isLow ? indicator.degraded('the disk is nearly full: writes are refused') : indicator.up();
  }
}

/** The message is part of the answer. */
class NotReady extends Error {}
