import { Ai } from './ai.js';
import { Auth } from './auth.js';
import { Billing } from './billing.js';
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
import { type Budget, type Hooks, Transport } from './transport.js';
import { Webhooks } from './webhooks.js';

export interface ServiceOptions {
  /** Default: the environment variable `SERVICE_API_KEY`, if there is an environment. */
  readonly apiKey?: string | undefined;
  /** The session token of a signed-in person, instead of a key. */
  readonly sessionToken?: string | undefined;
  /**
   * Pages that the service itself serves: the session is in a cookie that the browser keeps, and scripts never see a
   * token. Signing in sets the cookie, signing out clears it.
   */
  readonly session?: 'cookie' | undefined;
  /** Never sends a credential, for the anonymous sandbox, signing up and signing in. */
  readonly anonymous?: boolean | undefined;
  /** Address of the API without `/api/v1`. Default: `SERVICE_URL`, or else `http://127.0.0.1:3000`. */
  readonly baseUrl?: string | undefined;
  /** Id or slug of the organization for all calls. Default: the organization of the key. */
  readonly organization?: string | undefined;
  /** Attempts after the first, on 429 and 5xx. Default 3. */
  readonly maxRetries?: number | undefined;
  /** Longest wait before a retry, in seconds. If it would be longer, the call fails at once. Default 60. */
  readonly maxRetryAfterSeconds?: number | undefined;
  /** Longest time of one attempt, in milliseconds. Default 60000. */
  readonly timeoutMs?: number | undefined;
  /** `upgradeUrl` of errors that have none in the response. Default: `/pricing` at {@link baseUrl}. */
  readonly pricingUrl?: string | undefined;
  /** The function that sends requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  readonly hooks?: Hooks | undefined;
}

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
    const baseUrl = originOf(options.baseUrl ?? environment('SERVICE_URL') ?? 'http://127.0.0.1:3000');
    this.#transport = new Transport({
      baseUrl,
      credential: credentialOf(options),
      inCookie: options.session === 'cookie',
      organization: options.organization,
      pricingUrl: options.pricingUrl ?? `${baseUrl}/pricing`,
      maxRetries: numberOf('maxRetries', options.maxRetries ?? 3),
      maxRetryAfterSeconds: numberOf('maxRetryAfterSeconds', options.maxRetryAfterSeconds ?? 60),
      timeoutMs: numberOf('timeoutMs', options.timeoutMs ?? 60_000),
      // The global is read on each call, as it may be replaced later. Browsers require a call without an owner.
      fetch: options.fetch ?? ((...request) => fetch(...request)),
      hooks: options.hooks ?? {},
    });
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

function credentialOf({ anonymous, apiKey, sessionToken, session }: ServiceOptions): string | undefined {
  if (session === 'cookie') {
    if (apiKey !== undefined || sessionToken !== undefined || anonymous === true)
      throw new TypeError('A session in a cookie excludes apiKey, sessionToken and anonymous.');
    return undefined;
  }
  if (anonymous === true) return undefined;
  if (apiKey !== undefined && sessionToken !== undefined)
    throw new TypeError('Both apiKey and sessionToken are set. Pass one of them.');
  // Files and pipes often add a line break.
  const credential = (apiKey ?? sessionToken ?? environment('SERVICE_API_KEY') ?? '').trim();
  if (credential === '') {
    throw new TypeError(
      'There is no API key. ' +
        'Set SERVICE_API_KEY, pass { apiKey }, or pass { anonymous: true } for the anonymous sandbox.',
    );
  }
  // The check is here, because `fetch` would quote the key in its message.
  if (!/^[\x21-\x7e]+$/.test(credential))
    throw new TypeError('The API key contains invalid characters. Copy it again.');
  return credential;
}

function originOf(baseUrl: string): string {
  let end = baseUrl.length;
  while (baseUrl[end - 1] === '/') end--;
  const withoutSlash = baseUrl.slice(0, end);
  if (!/^https?:\/\/[^\s]+$/.test(withoutSlash))
    throw new TypeError(`baseUrl must be an http or https URL, not "${baseUrl}".`);
  return withoutSlash;
}

function numberOf(name: string, value: number): number {
  if (!(value >= 0)) throw new TypeError(`${name} must be a number, 0 or more.`);
  return value;
}

/** Browsers have no environment, and Deno may deny access to it. An empty variable counts as not set. */
function environment(name: string): string | undefined {
  try {
    const { env } = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process ?? {};
    return env?.[name] || undefined;
  } catch {
    return undefined;
  }
}
