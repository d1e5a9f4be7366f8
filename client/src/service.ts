import { type Agents, agentsOf } from './agents.js';
import { Ai } from './ai.js';
import { type Approvals, approvalsOf } from './approvals.js';
import { type Auth, authOf } from './auth.js';
import { Billing } from './billing.js';
import { connect, type ServiceOptions } from './connect.js';
import { type Databases, databasesOf } from './databases.js';
import { type Deploys, deploysOf } from './deploys.js';
import { type Domains, domainsOf } from './domains.js';
import { type GithubIntegration, githubOf } from './github.js';
import { type Keys, keysOf } from './keys.js';
import { Me } from './me.js';
import { Ops } from './ops.js';
import { type Orgs, orgsOf } from './orgs.js';
import { Projects } from './projects.js';
import { type Repositories, repositoriesOf } from './repositories.js';
import { type Runs, runsOf } from './runs.js';
import { Sandbox } from './sandbox.js';
import { type Schedules, schedulesOf } from './schedules.js';
import { type ObjectStorage, storageOf } from './storage.js';
import { type Swarms, swarmsOf } from './swarms.js';
import type { Budget, Transport } from './transport.js';
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
  readonly keys: Keys;
  readonly me: Me;
  readonly ops: Ops;
  readonly orgs: Orgs;
  readonly projects: Projects;
  readonly repositories: Repositories;
  readonly runs: Runs;
  readonly sandbox: Sandbox;
  readonly schedules: Schedules;
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
    this.#transport = connect(options);
    this.agents = agentsOf(this.#transport);
    this.ai = new Ai(this.#transport);
    this.approvals = approvalsOf(this.#transport);
    this.auth = authOf(this.#transport);
    this.billing = new Billing(this.#transport);
    this.databases = databasesOf(this.#transport);
    this.deploys = deploysOf(this.#transport);
    this.domains = domainsOf(this.#transport);
    this.github = githubOf(this.#transport);
    this.keys = keysOf(this.#transport);
    this.me = new Me(this.#transport);
    this.ops = new Ops(this.#transport);
    this.orgs = orgsOf(this.#transport);
    this.projects = new Projects(this.#transport);
    this.repositories = repositoriesOf(this.#transport);
    this.runs = runsOf(this.#transport);
    this.sandbox = new Sandbox(this.#transport);
    this.schedules = schedulesOf(this.#transport);
    this.storage = storageOf(this.#transport);
    this.swarms = swarmsOf(this.#transport);
    this.webhooks = webhooksOf(this.#transport);
  }

  /** The daily budget according to the latest response; undefined before the first. */
  get lastBudget(): Budget | undefined {
    return this.#transport.budget;
  }
}
