import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { PLANS } from '../../plans/plan.js';
import type { PackageChoice } from '../domain/packages.js';
import type { Language } from '../domain/sandbox-runtime.js';
import { requirePackages } from '../executions/plan-limits.js';
import { isLiveSession, type SessionState } from '../domain/session-state.js';
import { SandboxSession } from '../persistence/sandbox-session.entity.js';
import { SandboxSessionsStore } from '../persistence/sandbox-sessions.store.js';
import { NetworkPermission } from '../network/network-permission.js';
import { SandboxSessionNotFound } from '../sandbox.errors.js';
import { SANDBOX_SESSION_ID } from '../sandbox.ids.js';
import { SandboxSettings } from '../sandbox.settings.js';
import { NewSessions } from './new-sessions.js';
import { sessionLimitsOf } from './session-limits.js';
import { type SessionStartInput, SessionStarts, startedWithinMs } from './session-starts.js';

const MINUTE_MS = 60_000;

export interface CreateSessionInput extends SessionStartInput {
  readonly language: Language;
  readonly name?: string | undefined;
  readonly memoryMib?: number | undefined;
  readonly idleTimeoutSeconds: number;
  /** See {@link SandboxSession.runId}. */
  readonly runId?: string;
  /** Every run and command of the session finds them. */
  readonly packages?: PackageChoice | undefined;
  /** Each is read by `parseAllowedHost`. Undefined for a session without a network. */
  readonly allowedHosts?: readonly string[] | undefined;
}

/** The sessions of organizations. */
@Injectable()
export class SandboxSessionsService {
  constructor(
    private readonly settings: SandboxSettings,
    private readonly network: NetworkPermission,
    private readonly sessions: SandboxSessionsStore,
    private readonly newSessions: NewSessions,
    private readonly starts: SessionStarts,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the session that {@link create} would begin. Starts nothing.
   *
   * @throws {ExecutionBeyondPlan} `invalid_request`
   * @throws {ExecutionNetworkOff} `feature_disabled`
   * @throws {SandboxUnavailable} `sandbox_unavailable`
   */
  async rehearse({ org, principal }: Call, input: CreateSessionInput): Promise<SandboxSession> {
    const plan = PLANS[org.plan];
    const { memoryMib, allowedHosts } = input;
    const limits = sessionLimitsOf(plan, { memoryMib, network: allowedHosts !== undefined }, this.settings);
    this.network.require(allowedHosts);
    requirePackages(plan, input.packages);
    await this.starts.requireWorkers();
    const { credential, user } = principal;
    const now = this.clock.now();
    const facts = {
      id: this.ids.next(SANDBOX_SESSION_ID),
      orgId: org.id,
      userId: user.id,
      keyId: credential.type === 'api_key' ? credential.keyId : null,
      runId: input.runId ?? null,
      name: input.name ?? null,
      language: input.language,
      limits,
      packages: input.packages ?? null,
      allowedHosts: allowedHosts ?? null,
      idleTimeoutSeconds: input.idleTimeoutSeconds,
      expiresAt: new Date(now.getTime() + plan.sandbox.sessions.minutes * MINUTE_MS),
      aliveUntil: new Date(now.getTime() + startedWithinMs(input.packages !== undefined, input)),
    };
    return SandboxSession.starting(facts, now);
  }

  /**
   * Starts a session and returns it when it can run code. An aborted `signal` ends it.
   *
   * @throws as {@link rehearse}.
   * @throws {SandboxSessionLimitReached} `concurrency_limit_exceeded`
   * @throws {RunHasSession}
   * @throws {ExecutionPackagesRefused} `package_install_failed`
   * @throws {PackagesUnavailable} `packages_unavailable`
   * @throws {BudgetExceeded} `budget_exceeded`, as the next two for the installation of packages.
   * @throws {CreditsExhausted} `credits_exhausted`
   * @throws {SpendCapReached} `spend_cap_reached`
   */
  async create(call: Call, input: CreateSessionInput, signal: AbortSignal): Promise<SandboxSession> {
    const session = await this.rehearse(call, input);
    const plan = PLANS[call.org.plan];
    await this.newSessions.add(call, session, plan.sandbox.sessions.count);
    await this.starts.start(call, session, input, signal);
    return this.sessions.get(session.id);
  }

  /**
   * @throws {SandboxSessionNotFound} `sandbox_session_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async get({ principal }: Call, id: string): Promise<SandboxSession> {
    const session = await this.sessions.find(id, principal.lookupOrgIds);
    if (session === null) throw new SandboxSessionNotFound();
    principal.require('sandbox:execute', session.orgId);
    return session;
  }

  /** Returns the sessions of the caller's organization, newest first. */
  list({ org }: Call, status: SessionState | undefined, page: PageRequest): Promise<Page<SandboxSession>> {
    return this.sessions.list(org.id, status, page);
  }

  /** Returns what ending the session would return. Changes nothing. */
  async rehearseEnd(call: Call, id: string): Promise<SandboxSession> {
    const session = await this.get(call, id);
    if (!isLiveSession(session.status)) return session;
    return session.ended('requested', this.clock.now());
  }
}
