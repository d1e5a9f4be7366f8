import { methodsOf } from './methods.js';
import type { RequestOptions, Transport } from './transport.js';
import type {
  CreditedOrganization,
  FeatureFlags,
  FlagChange,
  InvoiceCorrection,
  InvoiceState,
  NewCredits,
  OpsErrors,
  OpsManifest,
  OpsOrganization,
  OpsOrganizations,
  OpsOrganizationsQuery,
  OpsSchedules,
  OpsTask,
  OpsTasks,
  OpsTasksQuery,
  PlanChange,
  PlanSet,
} from './types.js';

/** What operators of an installation do: with `OPS_TOKEN`, or on a page by the session of an operator. */
export interface Ops {
  /** Returns the state of the service, its queues and the figures of its tasks. */
  manifest(options?: RequestOptions): Promise<OpsManifest>;

  /** Returns a page of the tasks, newest first. */
  tasks(query?: OpsTasksQuery, options?: RequestOptions): Promise<OpsTasks>;

  /** @throws {ConflictError} `task_already_claimed`, `task_already_resolved`. */
  claim(taskId: string, agent: string, options?: RequestOptions): Promise<OpsTask>;

  /** @throws {ConflictError} `task_already_claimed`, `task_already_resolved`, `task_not_claimed`. */
  release(taskId: string, agent: string, options?: RequestOptions): Promise<OpsTask>;

  /** @throws {ConflictError} `task_already_claimed`, `task_already_resolved`. */
  resolve(taskId: string, agent: string, resolution: string, options?: RequestOptions): Promise<OpsTask>;

  /** Returns the latest requests that failed with 5xx, and jobs that failed for good. */
  errors(options?: RequestOptions): Promise<OpsErrors>;

  /** Puts a job that failed for good into its queue again. @throws {NotFoundError} `failed_job_not_found`. */
  retryJob(queue: string, jobId: string, options?: RequestOptions): Promise<void>;

  /** Returns the schedules that one process at a time runs, with their last and next runs. */
  schedules(options?: RequestOptions): Promise<OpsSchedules>;

  features(options?: RequestOptions): Promise<FeatureFlags>;

  /** @throws {ConflictError} `stale_version`, `flag_fixed`. */
  setFeature(change: FlagChange, options?: RequestOptions): Promise<void>;

  /** Returns a page of the organizations of the installation, newest first. */
  organizations(query?: OpsOrganizationsQuery, options?: RequestOptions): Promise<OpsOrganizations>;

  /** Returns an organization with its limits and invoices. @throws {NotFoundError} `organization_not_found`. */
  organization(orgId: string, options?: RequestOptions): Promise<OpsOrganization>;

  /** Marks an invoice as paid. @throws {ConflictError} `invoice_closed`. */
  markPaid(invoiceId: string, payment: string, options?: RequestOptions): Promise<InvoiceState>;

  /** Sets the plan of an organization. @throws {NotFoundError} `organization_not_found`. */
  setPlan(orgId: string, change: PlanChange, options?: RequestOptions): Promise<PlanSet>;

  /** Grants credits; a key grants once. @throws {NotFoundError} `organization_not_found`. */
  grantCredits(credits: NewCredits, options?: RequestOptions): Promise<CreditedOrganization>;

  /** Creates a credit note for an invoice; a key creates one. @throws {NotFoundError} `invoice_not_found`. */
  creditNote(invoiceId: string, note: InvoiceCorrection, options?: RequestOptions): Promise<InvoiceState>;
}

/** The operator endpoints as functions of a transport: they have another root, and no envelope. */
function plainCallsOf(transport: Transport): object {
  const plain =
    (method: 'GET' | 'POST' | 'PUT', part: 'query' | 'body') =>
    (path: string, sent?: object, options?: RequestOptions): Promise<unknown> =>
      transport.plain({ method, path, [part]: sent }, options);
  return { get: plain('GET', 'query'), post: plain('POST', 'body'), put: plain('PUT', 'body') };
}

export const opsOf = (transport: Transport): Ops => ({
  ...methodsOf<Omit<Ops, 'resolve' | 'setFeature'>>(
    plainCallsOf(transport),
    {
      manifest: 'get ops -',
      tasks: 'get ops/tasks',
      claim: 'post ops/tasks/:/claim agent',
      release: 'post ops/tasks/:/release agent',
      errors: 'get ops/errors -',
      retryJob: 'post ops/queues/:/jobs/:/retry -',
      schedules: 'get ops/schedules -',
      features: 'get ops/features -',
      organizations: 'get ops/organizations',
      organization: 'get ops/organizations/: -',
      markPaid: 'post ops/billing/invoices/:/paid payment',
      setPlan: 'put ops/billing/subscriptions/:',
      grantCredits: 'post ops/billing/credits',
      creditNote: 'post ops/billing/invoices/:/credit-notes',
    },
    '/',
  ),
  resolve: (taskId, agent, resolution, options) =>
    transport.plain(
      { method: 'POST', path: `/ops/tasks/${encodeURIComponent(taskId)}/resolve`, body: { agent, resolution } },
      options,
    ),
  async setFeature(change, options) {
    await transport.plain({ method: 'POST', path: '/ops/features', body: change }, options);
  },
});
