import { type Agents, agentsOf } from './agents.js';
import { type Ai, aiOf } from './ai.js';
import { type Approvals, approvalsOf } from './approvals.js';
import { type Auth, authOf } from './auth.js';
import { type Billing, billingOf } from './billing.js';
import { connect, type ServiceOptions } from './connect.js';
import { type Databases, databasesOf } from './databases.js';
import { type Deploys, deploysOf } from './deploys.js';
import { type Domains, domainsOf } from './domains.js';
import { type GithubIntegration, githubOf } from './github.js';
import { type Grants, grantsOf } from './grants.js';
import { type Keys, keysOf } from './keys.js';
import { type Me, meOf } from './me.js';
import { type Ops, opsOf } from './ops.js';
import { type Orgs, orgsOf } from './orgs.js';
import { type Projects, projectsOf } from './projects.js';
import { type Repositories, repositoriesOf } from './repositories.js';
import { type Runs, runsOf } from './runs.js';
import { Sandbox } from './sandbox.js';
import { type Schedules, schedulesOf } from './schedules.js';
import { type Sso, ssoOf } from './sso.js';
import { type ObjectStorage, storageOf } from './storage.js';
import { type Swarms, swarmsOf } from './swarms.js';
import type { Budget, Call, RequestOptions, Transport } from './transport.js';
import { type Webhooks, webhooksOf } from './webhooks.js';

/**
 * The client of the platform's API. Methods resolve to the `data` of the response; methods that list return a
 * {@link Listing}.
 *
 * An error response is thrown as the {@link ServiceError} of its status. 429 and 5xx are retried first. All attempts of
 * a write share one idempotency key, so it happens once.
 */
export class Service {
  readonly agents: Agents;
  readonly ai: Ai;
  readonly approvals: Approvals;
  readonly auth: Auth;
  readonly billing: Billing;
  readonly databases: Databases;
  readonly deploys: Deploys;
  readonly domains: Domains;
  readonly github: GithubIntegration;
  readonly grants: Grants;
  readonly keys: Keys;
  readonly me: Me;
  readonly ops: Ops;
  readonly orgs: Orgs;
  readonly projects: Projects;
  readonly repositories: Repositories;
  readonly runs: Runs;
  readonly sandbox: Sandbox;
  readonly schedules: Schedules;
  readonly sso: Sso;
  readonly storage: ObjectStorage;
  readonly swarms: Swarms;
  readonly webhooks: Webhooks;
  readonly #transport: Transport;

  /**
   * The constructor sends nothing.
   *
   * @throws {TypeError} when there is neither a key nor a session token and `anonymous` is not set, or when an option
   *   is invalid.
   */
  constructor(options: ServiceOptions = {}) {
    const transport = connect(options);
    this.#transport = transport;
    this.agents = agentsOf(transport);
    this.ai = aiOf(transport);
    this.approvals = approvalsOf(transport);
    this.auth = authOf(transport);
    this.billing = billingOf(transport);
    this.databases = databasesOf(transport);
    this.deploys = deploysOf(transport);
    this.domains = domainsOf(transport);
    this.github = githubOf(transport);
    this.grants = grantsOf(transport);
    this.keys = keysOf(transport);
    this.me = meOf(transport);
    this.ops = opsOf(transport);
    this.orgs = orgsOf(transport);
    this.projects = projectsOf(transport);
    this.repositories = repositoriesOf(transport);
    this.runs = runsOf(transport);
    this.sandbox = new Sandbox(transport);
    this.schedules = schedulesOf(transport);
    this.sso = ssoOf(transport);
    this.storage = storageOf(transport);
    this.swarms = swarmsOf(transport);
    this.webhooks = webhooksOf(transport);
  }

  /**
   * Sends a call that the library has no method for, with its credentials and retries, and returns the response unread.
   *
   * @throws {ServiceError} when the response is an error that a retry cannot fix, or no retry is left.
   */
  request(call: Call, options?: RequestOptions): Promise<Response> {
    return this.#transport.response(call, options);
  }

  /** The daily budget according to the latest response; undefined before the first. */
  get lastBudget(): Budget | undefined {
    return this.#transport.budget;
  }
}
