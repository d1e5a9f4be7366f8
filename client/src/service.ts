import { Ai } from './ai.js';
import { Auth } from './auth.js';
import { Billing } from './billing.js';
import { connect, type ServiceOptions } from './connect.js';
import { Deploys } from './deploys.js';
import { Domains } from './domains.js';
import { GithubIntegration } from './github.js';
import { Keys } from './keys.js';
import { Me } from './me.js';
import { Ops } from './ops.js';
import { Orgs } from './orgs.js';
import { Projects } from './projects.js';
import { Repositories } from './repositories.js';
import { Sandbox } from './sandbox.js';
import type { Budget, Transport } from './transport.js';
import { Webhooks } from './webhooks.js';

/**
 * The client of the platform's API. Methods resolve to the `data` of the response; methods that list return a
 * {@link Listing}.
 *
 * An error response is thrown as the {@link ServiceError} of its status. 429 and 5xx are retried first. All attempts of
 * a write share one idempotency key, so it happens once.
 */
export class Service {
  readonly ai: Ai;
  readonly auth: Auth;
  readonly billing: Billing;
  readonly deploys: Deploys;
  readonly domains: Domains;
  readonly github: GithubIntegration;
  readonly keys: Keys;
  readonly me: Me;
  readonly ops: Ops;
  readonly orgs: Orgs;
  readonly projects: Projects;
  readonly repositories: Repositories;
  readonly sandbox: Sandbox;
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
    this.ai = new Ai(this.#transport);
    this.auth = new Auth(this.#transport);
    this.billing = new Billing(this.#transport);
    this.deploys = new Deploys(this.#transport);
    this.domains = new Domains(this.#transport);
    this.github = new GithubIntegration(this.#transport);
    this.keys = new Keys(this.#transport);
    this.me = new Me(this.#transport);
    this.ops = new Ops(this.#transport);
    this.orgs = new Orgs(this.#transport);
    this.projects = new Projects(this.#transport);
    this.repositories = new Repositories(this.#transport);
    this.sandbox = new Sandbox(this.#transport);
    this.webhooks = new Webhooks(this.#transport);
  }

  /** The daily budget according to the latest response; undefined before the first. */
  get lastBudget(): Budget | undefined {
    return this.#transport.budget;
  }
}
