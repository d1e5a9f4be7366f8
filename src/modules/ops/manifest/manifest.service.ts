import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { type DeclaredRoute, RouteDirectory } from '../../auth/route-directory.js';
import { type PartStates, ReadinessService } from '../../health/readiness.service.js';
import { OpenWork, type QueueState, type TaskFigures } from './open-work.js';
import { type RunningInstance, ServiceInstance } from './service-instance.js';
import type { Runbook } from './runbook.js';
import { Runbooks } from './runbooks.js';

const SCHEMA_VERSION = '1';

interface ManifestEndpoint {
  readonly method: string;
  readonly path: string;
  readonly auth: 'none' | 'ops' | 'metrics' | 'usage' | 'apiKey';
  readonly summary: string;
  /** Points to the schema of the request body; absent when there is none. */
  readonly requestSchema?: { readonly $ref: string };
}

export interface Manifest {
  readonly schemaVersion: string;
  readonly service: RunningInstance;
  readonly status: 'ok' | 'degraded' | 'draining';
  /** The same parts as in `/ready`. */
  readonly parts: PartStates;
  readonly endpoints: readonly ManifestEndpoint[];
  readonly runbooks: readonly (Runbook & { readonly docsUrl: string })[];
  /** Absent while Redis is unavailable. */
  readonly queues?: readonly QueueState[];
  /** Absent while the database is unavailable. */
  readonly tasks?: TaskFigures;
  readonly features: { readonly href: string };
  readonly alerts: { readonly rules: string };
  readonly links: Readonly<Record<string, string>>;
}

/** Everything that an agent needs to operate the service, on one page (service document §4). */
@Injectable()
export class ManifestService {
  constructor(
    private readonly routes: RouteDirectory,
    private readonly runbooks: Runbooks,
    private readonly readiness: ReadinessService,
    private readonly work: OpenWork,
    private readonly instance: ServiceInstance,
    private readonly shutdown: Shutdown,
    private readonly config: Config,
  ) {}

  async describe(): Promise<Manifest> {
    // The manifest is read during incidents: it reports what is unavailable instead of failing with it.
    const [{ isReady, parts }, queues, tasks] = await Promise.all([
      this.readiness.parts(),
      this.work.queueStates().catch(() => undefined),
      this.work.taskFigures().catch(() => undefined),
    ]);
    const isWell = isReady && Object.values(parts).every(({ status }) => status === 'up');
    return {
      schemaVersion: SCHEMA_VERSION,
      service: this.instance.describe(),
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

/** JSON pointers escape a slash as `~1`, and OpenAPI writes path parameters in braces. */
const schemaOf = (method: string, path: string): string =>
  [
    `${OPENAPI}#/paths`,
    path.replace(/:(\w+)/g, '{$1}').replaceAll('/', '~1'),
    method.toLowerCase(),
    'requestBody/content/application~1json/schema',
  ].join('/');

const byPath = (one: ManifestEndpoint, other: ManifestEndpoint): number =>
  one.path.localeCompare(other.path) || one.method.localeCompare(other.method);
