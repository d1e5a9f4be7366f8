import { Auth } from './auth.js';
import { Billing } from './billing.js';
import { Deploys } from './deploys.js';
import { Keys } from './keys.js';
import { Me } from './me.js';
import { Orgs } from './orgs.js';
import { Projects } from './projects.js';
import { Repositories } from './repositories.js';
import { Sandbox } from './sandbox.js';
import { type Budget, type Hooks, Transport } from './transport.js';

export interface ServiceOptions {
  /** Default: the environment variable `SERVICE_API_KEY`, where there is an environment. */
  readonly apiKey?: string | undefined;
  /** Of a person who has signed in, instead of a key. */
  readonly sessionToken?: string | undefined;
  /** Sends no credential at all, whatever else is set: for the anonymous sandbox, signing up and signing in. */
  readonly anonymous?: boolean | undefined;
  /** Where the API is, without `/api/v1`. Default: `SERVICE_URL`, else `http://127.0.0.1:3000`. */
  readonly baseUrl?: string | undefined;
  /** Id or slug of the organization that calls are for. Default: the one that the key belongs to. */
  readonly organization?: string | undefined;
  /** Attempts after the first, on 429 and 5xx. Default 3. */
  readonly maxRetries?: number | undefined;
  /** A call that would have to wait longer for its next attempt fails at once, in seconds. Default 60. */
  readonly maxRetryAfterSeconds?: number | undefined;
  /** Longest time of one attempt, in milliseconds. Default 60000. */
  readonly timeoutMs?: number | undefined;
  /** `upgradeUrl` of errors for which the API gives none. Default: `/docs/plans` at {@link baseUrl}. */
  readonly pricingUrl?: string | undefined;
  /** What sends the requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  readonly hooks?: Hooks | undefined;
}

/**
 * The platform's API. Every method resolves to the `data` of the answer; those that list give a {@link Listing}.
 *
 * Failed answers become a {@link ServiceError} of the class of their status. Answers 429 and 5xx are tried again
 * first, writes under one idempotency key, so that they happen once.
 */
export class Service {
  readonly auth: Auth;
  readonly billing: Billing;
  readonly deploys: Deploys;
  readonly keys: Keys;
  readonly me: Me;
  readonly orgs: Orgs;
  readonly projects: Projects;
  readonly repositories: Repositories;
  readonly sandbox: Sandbox;
  readonly #transport: Transport;

  /**
   * Nothing is sent yet.
   *
   * @throws {TypeError} when there is neither a key nor a session token and `anonymous` is not set, or when a setting
   *   cannot be used. No answer of the API is involved, so that it is not a `ServiceError`.
   */
  constructor(options: ServiceOptions = {}) {
    const baseUrl = originOf(options.baseUrl ?? environment('SERVICE_URL') ?? 'http://127.0.0.1:3000');
    this.#transport = new Transport({
      baseUrl,
      credential: credentialOf(options),
      organization: options.organization,
      pricingUrl: options.pricingUrl ?? `${baseUrl}/docs/plans`,
      maxRetries: numberOf('maxRetries', options.maxRetries ?? 3),
      maxRetryAfterSeconds: numberOf('maxRetryAfterSeconds', options.maxRetryAfterSeconds ?? 60),
      timeoutMs: numberOf('timeoutMs', options.timeoutMs ?? 60_000),
      // Looked up on each call: it may be replaced later, and browsers want it called without an owner.
      fetch: options.fetch ?? ((...request) => fetch(...request)),
      hooks: options.hooks ?? {},
    });
    this.auth = new Auth(this.#transport);
    this.billing = new Billing(this.#transport);
    this.deploys = new Deploys(this.#transport);
    this.keys = new Keys(this.#transport);
    this.me = new Me(this.#transport);
    this.orgs = new Orgs(this.#transport);
    this.projects = new Projects(this.#transport);
    this.repositories = new Repositories(this.#transport);
    this.sandbox = new Sandbox(this.#transport);
  }

  /** What the answer that came last said of the daily budget; undefined before the first. */
  get lastBudget(): Budget | undefined {
    return this.#transport.budget;
  }
}

function credentialOf({ anonymous, apiKey, sessionToken }: ServiceOptions): string | undefined {
  if (anonymous === true) return undefined;
  if (apiKey !== undefined && sessionToken !== undefined)
    throw new TypeError('Give either apiKey or sessionToken, not both.');
  // A line break at its end is what files and pipes commonly add.
  const credential = (apiKey ?? sessionToken ?? environment('SERVICE_API_KEY') ?? '').trim();
  if (credential === '') {
    throw new TypeError(
      'There is no API key. Set SERVICE_API_KEY, pass { apiKey }, or pass { anonymous: true } for the anonymous sandbox.',
    );
  }
  // Checked here, because `fetch` would quote the key in its message.
  if (!/^[\x21-\x7e]+$/.test(credential)) throw new TypeError('The API key holds characters that no key has.');
  return credential;
}

function originOf(baseUrl: string): string {
  let end = baseUrl.length;
  while (baseUrl[end - 1] === '/') end--;
  const withoutSlash = baseUrl.slice(0, end);
  if (!/^https?:\/\/[^\s]+$/.test(withoutSlash))
    throw new TypeError(`baseUrl must be an http or https address, not "${baseUrl}".`);
  return withoutSlash;
}

function numberOf(name: string, value: number): number {
  if (!(value >= 0)) throw new TypeError(`${name} must be a number, 0 or more.`);
  return value;
}

/** Browsers have no environment; Deno may refuse to show it. Set to nothing means not set. */
function environment(name: string): string | undefined {
  try {
    const { env } = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process ?? {};
    return env?.[name] || undefined;
  } catch {
    return undefined;
  }
}
