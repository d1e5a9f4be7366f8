import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Ids } from '../../../platform/ids/ids.js';
import { WORKER_ID } from '../../../platform/ids/platform.ids.js';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Queues } from '../../../platform/queues/queues.js';
import { Clock } from '../../../platform/time/clock.js';
import { VERSION } from '../../../platform/version.js';
import { type DeclaredRoute, RouteDirectory } from '../../auth/route-directory.js';
import { type PartStates, ReadinessService } from '../../health/readiness.service.js';
import { OpsTasksStore } from '../persistence/ops-tasks.store.js';
import type { Runbook } from './runbook.js';
import { Runbooks } from './runbooks.js';

const SCHEMA_VERSION = '1';

export interface QueueState {
  readonly name: string;
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
  readonly oldestWaitingSeconds: number;
  readonly paused: boolean;
}

interface ManifestEndpoint {
  readonly method: string;
  readonly path: string;
  readonly auth: 'none' | 'ops' | 'metrics' | 'usage' | 'apiKey';
  readonly summary: string;
  /** Where the schema of the body of its requests is; absent where they have none. */
  readonly requestSchema?: { readonly $ref: string };
}

export interface Manifest {
  readonly schemaVersion: string;
  readonly service: {
    readonly name: string;
    readonly version: string;
    readonly role: string;
    readonly startedAt: string;
    readonly instance: string;
  };
  readonly status: 'ok' | 'degraded' | 'draining';
  /** Part by part, as `/ready` has it. */
  readonly parts: PartStates;
  readonly endpoints: readonly ManifestEndpoint[];
  readonly runbooks: readonly (Runbook & { readonly docsUrl: string })[];
  /** Absent while Redis is away. */
  readonly queues?: readonly QueueState[];
  /** Absent while the database is away. */
  readonly tasks?: {
    readonly open: number;
    readonly claimed: number;
    readonly resolved24h: number;
    readonly oldestOpenSeconds: number;
    readonly byTag: Readonly<Record<string, number>>;
  };
  readonly features: { readonly href: string };
  readonly alerts: { readonly rules: string };
  readonly links: Readonly<Record<string, string>>;
}

/** All that an agent needs to run the service, on one page (service document §4): its state, and what to do. */
@Injectable()
export class ManifestService {
  private readonly startedAt: string;
  private readonly instance: string;

  constructor(
    private readonly routes: RouteDirectory,
    private readonly runbooks: Runbooks,
    private readonly readiness: ReadinessService,
    private readonly queues: Queues,
    private readonly tasks: OpsTasksStore,
    private readonly shutdown: Shutdown,
    private readonly config: Config,
    private readonly clock: Clock,
    ids: Ids,
  ) {
    this.startedAt = clock.now().toISOString();
    this.instance = ids.next(WORKER_ID);
  }

  async describe(): Promise<Manifest> {
    // A part that is away is told as such: this page is read when something is.
    const [{ isReady, parts }, queues, tasks] = await Promise.all([
      this.readiness.parts(),
      this.queueStates().catch(() => undefined),
      this.taskFigures().catch(() => undefined),
    ]);
    const isWell = isReady && Object.values(parts).every(({ status }) => status === 'up');
    return {
      schemaVersion: SCHEMA_VERSION,
      service: {
        name: 'service-platform',
        version: VERSION,
        role: this.config.role,
        startedAt: this.startedAt,
        instance: this.instance,
      },
      status: this.shutdown.isDraining ? 'draining' : isWell ? 'ok' : 'degraded',
      parts,
      endpoints: this.routes
        .list()
        .filter(({ summary }) => summary !== undefined)
        .map(endpointOf)
        .sort(byPath),
      runbooks: this.runbooks.all.map((runbook) => ({
        ...runbook,
        docsUrl: `${this.config.docsUrl}/runbooks/${runbook.id}`,
      })),
      ...(queues === undefined ? {} : { queues }),
      ...(tasks === undefined ? {} : { tasks }),
      features: { href: '/ops/features' },
      alerts: { rules: 'deploy/alerts/prometheus.rules.yml' },
      links: {
        openapi: OPENAPI,
        metrics: '/metrics',
        ready: '/ready',
        tasks: '/ops/tasks',
        slo: 'docs/operations/slo.md',
      },
    };
  }

  private queueStates(): Promise<QueueState[]> {
    return Promise.all(
      this.queues.all().map(async (queue) => {
        const { counts, oldestWaitingMs } = await this.queues.read(queue);
        const oldestWaitingSeconds = oldestWaitingMs === null ? 0 : this.secondsSince(oldestWaitingMs);
        return { name: queue.name, ...counts, oldestWaitingSeconds, paused: await queue.isPaused() };
      }),
    );
  }

  private async taskFigures(): Promise<Manifest['tasks']> {
    const { open, claimed, resolved24h, oldestOpenAt, byTag } = await this.tasks.figures(this.clock.now());
    return {
      open,
      claimed,
      resolved24h,
      oldestOpenSeconds: oldestOpenAt === null ? 0 : this.secondsSince(oldestOpenAt.getTime()),
      byTag,
    };
  }

  private secondsSince(ms: number): number {
    return Math.max(0, Math.round((this.clock.now().getTime() - ms) / 1000));
  }
}

const OPENAPI = '/api/v1/openapi.json';

function endpointOf({ method, path, surface, rule, sessions, summary, takesBody }: DeclaredRoute): ManifestEndpoint {
  const auth =
    surface === 'money' ? 'ops' : (surface ?? (rule !== undefined || sessions !== undefined ? 'apiKey' : 'none'));
  return {
    method,
    path,
    auth,
    summary: summary!,
    ...(takesBody ? { requestSchema: { $ref: schemaOf(method, path) } } : {}),
  };
}

/** Pointers of JSON have `~1` for a slash; the description names parameters in braces. */
const schemaOf = (method: string, path: string): string =>
  `${OPENAPI}#/paths/${path.replace(/:(\w+)/g, '{$1}').replaceAll('/', '~1')}/${method.toLowerCase()}/requestBody/content/application~1json/schema`;

const byPath = (one: ManifestEndpoint, other: ManifestEndpoint): number =>
  one.path.localeCompare(other.path) || one.method.localeCompare(other.method);
