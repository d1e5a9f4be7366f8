import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { BackgroundCatalog } from './background/background-catalog.js';
import { SCHEDULE_METRICS } from './background/schedule.metrics.js';
import { ScheduleLeases } from './background/schedule-leases.js';
import { Schedules } from './background/schedules.js';
import type { Settings } from './config/settings.js';
import { DatabaseModule } from './database/database.module.js';
import { ErrorCatalog } from './errors/error-catalog.js';
import { HostHandlers } from './http/host-handlers.js';
import { PathHandlers } from './http/path-handlers.js';
import { HostPolicy } from './http/host-policy.js';
import { HTTP_METRICS } from './http/http.metrics.js';
import { InnerCalls } from './http/inner-calls.js';
import { RequestContextMiddleware } from './http/request-context.middleware.js';
import { StreamFailures } from './http/stream-failures.js';
import { TrustedProxies } from './http/trusted-proxies.js';
import { UnknownRoutes } from './http/unknown-routes.js';
import { Ids } from './ids/ids.js';
import { IsolationSettings } from './isolation/isolation-settings.js';
import { Shutdown } from './lifecycle/shutdown.js';
import { SiblingProcesses } from './lifecycle/sibling-processes.js';
import { Log } from './logging/log.js';
import { RequestContext } from './logging/request-context.js';
import { Outbox } from './outbox/outbox.js';
import { OutboxBell } from './outbox/outbox-bell.js';
import { OutboxCalls } from './outbox/outbox-calls.js';
import { OutboxRelay } from './outbox/outbox-relay.js';
import { AwaitedJobs } from './queues/awaited-jobs.js';
import { DirectJobs } from './queues/direct-jobs.js';
import { JobCancellations } from './queues/job-cancellations.js';
import { JobRunner } from './queues/job-runner.js';
import { JobTurns } from './queues/job-turns.js';
import { JOB_METRICS } from './queues/job.metrics.js';
import { LocalJobServer } from './queues/local-job-server.js';
import { LocalJobs } from './queues/local-jobs.js';
import { QueueWorkers } from './queues/queue-workers.js';
import { QUEUE_METRICS } from './queues/queue.metrics.js';
import { ErrorReports } from './http/error-reports.js';
import { RecentErrors } from './http/recent-errors.js';
import { FailedJobs } from './queues/failed-jobs.js';
import { Queues } from './queues/queues.js';
import { RedisCalls } from './redis/redis-calls.js';
import { RedisConnections } from './redis/redis-connections.js';
import { STORAGE_METRICS } from './storage/storage.metrics.js';
import { StorageRoom } from './storage/storage-room.js';
import { Clock, SystemClock } from './time/clock.js';
import { Tracing } from './tracing/tracing.js';
import { TRACING_METRICS } from './tracing/tracing.metrics.js';

/** What every role provides to the platform. */
export interface Ground {
  readonly settings: Settings;
  /** The settings of the module that decides how programs are isolated. */
  readonly isolation: IsolationSettings;
  readonly log: Log;
  readonly siblings: SiblingProcesses;
  readonly context: RequestContext;
  readonly dataSource: DataSource;
  readonly catalog: BackgroundCatalog;
  readonly errors: ErrorCatalog;
}

@Global()
@Module({})
export class PlatformModule {
  static with({ settings, isolation, log, siblings, context, dataSource, catalog, errors }: Ground): DynamicModule {
    const providers = [
      ...settings.providers,
      { provide: IsolationSettings, useValue: isolation },
      { provide: Log, useValue: log },
      { provide: SiblingProcesses, useValue: siblings },
      { provide: RequestContext, useValue: context },
      { provide: Clock, useClass: SystemClock },
      Ids,
      Shutdown,
      Tracing,
      HostHandlers,
      PathHandlers,
      HostPolicy,
      InnerCalls,
      { provide: BackgroundCatalog, useValue: catalog },
      { provide: ErrorCatalog, useValue: errors },
      ScheduleLeases,
      Schedules,
      RedisCalls,
      RedisConnections,
      Queues,
      QueueWorkers,
      AwaitedJobs,
      DirectJobs,
      JobCancellations,
      JobTurns,
      JobRunner,
      LocalJobs,
      LocalJobServer,
      Outbox,
      OutboxBell,
      OutboxCalls,
      OutboxRelay,
      TrustedProxies,
      RequestContextMiddleware,
      UnknownRoutes,
      RecentErrors,
      ErrorReports,
      StreamFailures,
      FailedJobs,
      StorageRoom,
      ...STORAGE_METRICS,
      ...HTTP_METRICS,
      ...QUEUE_METRICS,
      ...JOB_METRICS,
      ...SCHEDULE_METRICS,
      ...TRACING_METRICS,
    ];
    return { module: PlatformModule, imports: [DatabaseModule.with(dataSource)], providers, exports: providers };
  }
}
