import { createHash, timingSafeEqual } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { Config } from '../../../platform/config/config.js';
import { OperatorsSettings } from '../operators.settings.js';
import { RouteMetadata } from '../../../platform/http/route-metadata.js';
import { attachBudgetHolder, type BudgetAccount, type BudgetHolder } from '../../limits/budget-account.js';
import { PLANS } from '../../plans/plan.js';
import { type OperatorSurface, RequireOperatorToken } from '../require-operator-token.js';
import { OperatorTokenInvalid, OperatorTokenUnset, OtherMachineRefused, UsageIntakeOff } from '../operators.errors.js';
import { OperatorSessions } from '../operator-sessions.js';
import { isFromThisMachine } from '../this-machine.js';
import { WrongOperatorTokens } from './wrong-operator-tokens.js';

const SETTING: Record<OperatorSurface, string> = {
  ops: 'OPS_TOKEN',
  money: 'OPS_TOKEN',
  metrics: 'METRICS_TOKEN',
  usage: 'USAGE_TOKEN',
};

/** Trusted usage sources are counted, but have no daily limit. */
const TRUSTED: BudgetAccount = {
  key: 'usage sources',
  tier: { name: 'enterprise', callsPerDay: null, callsPerSecond: PLANS.enterprise.callsPerSecond },
  circles: [],
};

/** What people with the operator role may do by the session of a page. The others are for programs. */
const OF_PEOPLE: readonly OperatorSurface[] = ['ops', 'money'];

/**
 * Requires `OPS_TOKEN`, `METRICS_TOKEN` or `USAGE_TOKEN` on operator endpoints (service document §5), or the session of
 * an operator (decision 0070).
 */
@Injectable()
export class OperatorTokenGuard implements CanActivate {
  private readonly surfaces: RouteMetadata<OperatorSurface>;

  constructor(
    reflector: Reflector,
    private readonly config: Config,
    private readonly settings: OperatorsSettings,
    private readonly wrongTokens: WrongOperatorTokens,
    private readonly sessions: OperatorSessions,
  ) {
    this.surfaces = new RouteMetadata(reflector, RequireOperatorToken);
  }

  /**
   * @throws {OperatorTokenInvalid} `invalid_token`
   * @throws {OperatorRequired} `operator_required`: the session in the cookie is not of an operator.
   * @throws {OperatorTokenUnset} `invalid_token`: no token is set.
   * @throws {OtherMachineRefused} `invalid_token`: no token is set, and the call does not come from this machine.
   * @throws {TooManyAttempts} `burst_limit_exceeded`: too many wrong tokens from this address.
   * @throws {UsageIntakeOff} `feature_disabled`
   */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const surface = this.surfaces.of(context);
    if (surface === undefined) return true;

    const request = context.switchToHttp().getRequest<Request>();
    // The cookie excludes the token: a page is never admitted for the machine that it is shown on.
    if (OF_PEOPLE.includes(surface) && this.sessions.isUsedBy(request))
      return this.sessions.admit(request, context.switchToHttp().getResponse<Response>());
    const token = this.tokenOf(surface);
    if (token === undefined) return this.admitWithoutToken(surface, request);

    const setting = SETTING[surface];
    const ip = request.ip ?? '';
    const given = bearerTokenOf(request);
    if (given === undefined) throw new OperatorTokenInvalid(setting);
    this.wrongTokens.requireFew(setting, ip);
    if (!isSame(given, token)) {
      this.wrongTokens.note(setting, ip);
      throw new OperatorTokenInvalid(setting);
    }
    if (surface === 'usage') attachBudgetHolder(request, TRUSTED_HOLDER);
    return true;
  }

  private admitWithoutToken(surface: OperatorSurface, request: Request): true {
    switch (surface) {
      case 'money':
        throw new OperatorTokenUnset(SETTING[surface]);
      case 'usage':
        throw new UsageIntakeOff();
      case 'ops':
        // Behind a proxy, a call over the loopback interface may come from any machine.
        if (this.config.trustProxy !== 0 || !isFromThisMachine(request))
          throw new OtherMachineRefused(SETTING[surface]);
        return true;
      case 'metrics':
        return true;
    }
  }

  private tokenOf(surface: OperatorSurface): string | undefined {
    switch (surface) {
      case 'ops':
      case 'money':
        return this.settings.opsToken;
      case 'metrics':
        return this.settings.metricsToken;
      case 'usage':
        return this.settings.usageToken;
    }
  }
}

const TRUSTED_HOLDER: BudgetHolder = {
  account: TRUSTED,
  stamps: [],
  isStale: () => false,
  refresh: () => Promise.resolve(TRUSTED_HOLDER),
};

const bearerTokenOf = (request: Request): string | undefined =>
  /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];

/** Hashes have one length, so that the comparison takes the same time however much of the token is right. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(hash(given), hash(token));
}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
