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
export class Ops {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns the state of the service, its queues and the figures of its tasks. */
  manifest(options?: RequestOptions): Promise<OpsManifest> {
    return this.#transport.plain({ method: 'GET', path: '/ops' }, options);
  }

  /** Returns a page of the tasks, newest first. */
  tasks(query: OpsTasksQuery = {}, options?: RequestOptions): Promise<OpsTasks> {
    return this.#transport.plain({ method: 'GET', path: '/ops/tasks', query: { ...query } }, options);
  }

  /** @throws {ConflictError} `task_already_claimed`, `task_already_resolved`. */
  claim(taskId: string, agent: string, options?: RequestOptions): Promise<OpsTask> {
    return this.#task(taskId, 'claim', { agent }, options);
  }

  /** @throws {ConflictError} `task_already_claimed`, `task_already_resolved`, `task_not_claimed`. */
  release(taskId: string, agent: string, options?: RequestOptions): Promise<OpsTask> {
    return this.#task(taskId, 'release', { agent }, options);
  }

  /** @throws {ConflictError} `task_already_claimed`, `task_already_resolved`. */
  resolve(taskId: string, agent: string, resolution: string, options?: RequestOptions): Promise<OpsTask> {
    return this.#task(taskId, 'resolve', { agent, resolution }, options);
  }

  /** Returns the latest requests that failed with 5xx, and jobs that failed for good. */
  errors(options?: RequestOptions): Promise<OpsErrors> {
    return this.#transport.plain({ method: 'GET', path: '/ops/errors' }, options);
  }

  /** Puts a job that failed for good into its queue again. @throws {NotFoundError} `failed_job_not_found`. */
  async retryJob(queue: string, jobId: string, options?: RequestOptions): Promise<void> {
    const path = `/ops/queues/${encodeURIComponent(queue)}/jobs/${encodeURIComponent(jobId)}/retry`;
    await this.#transport.plain({ method: 'POST', path }, options);
  }

  /** Returns the schedules that one process at a time runs, with their last and next runs. */
  schedules(options?: RequestOptions): Promise<OpsSchedules> {
    return this.#transport.plain({ method: 'GET', path: '/ops/schedules' }, options);
  }

  features(options?: RequestOptions): Promise<FeatureFlags> {
    return this.#transport.plain({ method: 'GET', path: '/ops/features' }, options);
  }

  /** @throws {ConflictError} `stale_version`, `flag_fixed`. */
  async setFeature(change: FlagChange, options?: RequestOptions): Promise<void> {
    await this.#transport.plain({ method: 'POST', path: '/ops/features', body: change }, options);
  }

  /** Returns a page of the organizations of the installation, newest first. */
  organizations(query: OpsOrganizationsQuery = {}, options?: RequestOptions): Promise<OpsOrganizations> {
    return this.#transport.plain({ method: 'GET', path: '/ops/organizations', query: { ...query } }, options);
  }

  /** Returns an organization with its limits and invoices. @throws {NotFoundError} `organization_not_found`. */
  organization(orgId: string, options?: RequestOptions): Promise<OpsOrganization> {
    return this.#transport.plain({ method: 'GET', path: `/ops/organizations/${encodeURIComponent(orgId)}` }, options);
  }

  /** Marks an invoice as paid. @throws {ConflictError} `invoice_closed`. */
  markPaid(invoiceId: string, payment: string, options?: RequestOptions): Promise<InvoiceState> {
    const path = `/ops/billing/invoices/${encodeURIComponent(invoiceId)}/paid`;
    return this.#transport.plain({ method: 'POST', path, body: { payment } }, options);
  }

  /** Sets the plan of an organization. @throws {NotFoundError} `organization_not_found`. */
  setPlan(orgId: string, change: PlanChange, options?: RequestOptions): Promise<PlanSet> {
    const path = `/ops/billing/subscriptions/${encodeURIComponent(orgId)}`;
    return this.#transport.plain({ method: 'PUT', path, body: change }, options);
  }

  /** Grants credits; a key grants once. @throws {NotFoundError} `organization_not_found`. */
  grantCredits(credits: NewCredits, options?: RequestOptions): Promise<CreditedOrganization> {
    return this.#transport.plain({ method: 'POST', path: '/ops/billing/credits', body: credits }, options);
  }

  /** Creates a credit note for an invoice; a key creates one. @throws {NotFoundError} `invoice_not_found`. */
  creditNote(invoiceId: string, note: InvoiceCorrection, options?: RequestOptions): Promise<InvoiceState> {
    const path = `/ops/billing/invoices/${encodeURIComponent(invoiceId)}/credit-notes`;
    return this.#transport.plain({ method: 'POST', path, body: note }, options);
  }

  #task(taskId: string, verb: string, body: object, options?: RequestOptions): Promise<OpsTask> {
    const path = `/ops/tasks/${encodeURIComponent(taskId)}/${verb}`;
    return this.#transport.plain({ method: 'POST', path, body }, options);
  }
}
