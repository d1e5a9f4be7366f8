import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../../../platform/config/config.js';
import { stateOf } from '../../../platform/http/request-state.js';
import { OPERATOR_FIELD } from '../../operators/acting-operator.js';
import { OperatorSessions } from '../../operators/operator-sessions.js';
import { OperatorRequired } from '../../operators/operators.errors.js';
import { isFromThisMachine } from '../../operators/this-machine.js';
import { SessionRequired } from '../auth.errors.js';
import { AuthenticatorService } from '../callers/authenticator.service.js';
import type { Principal } from '../principal.js';
import { SessionCookie } from '../session-cookie.js';

/** Recognizes operators by the session of a page. API keys never carry the role (decision 0070). */
@Injectable()
export class OperatorPages extends OperatorSessions {
  constructor(
    private readonly cookie: SessionCookie,
    private readonly authenticator: AuthenticatorService,
    private readonly config: Config,
  ) {
    super();
  }

  isUsedBy(request: Request): boolean {
    return this.cookie.isUsedBy(request);
  }

  /**
   * @throws {CrossSiteRequest} `cross_site_request`
   * @throws {SessionBesideKey} `conflicting_credentials`
   * @throws {SessionRequired} `session_required`
   * @throws {SessionInvalid} `invalid_session`
   * @throws {OperatorRequired} `operator_required`
   */
  async admit(request: Request, response: Response): Promise<true> {
    const token = this.cookie.tokenOf(request);
    if (token === undefined) throw new SessionRequired();
    // This refuses an address that guesses, before the database is asked.
    const { principal: known } = await this.authenticator.authenticate(token, request.ip ?? '');
    // Operator endpoints have no budget, where other calls notice that a remembered caller is outdated.
    const { principal } = await this.authenticator.reauthenticate(token);
    if (!this.isOperator(principal, request)) throw new OperatorRequired();
    if ([known, principal].some(isProlonged)) this.cookie.set(response, token);
    Object.assign(stateOf(request), { logFields: { [OPERATOR_FIELD]: principal.user.id } });
    return true;
  }

  /** True when the person may use the operator endpoints with this call. */
  isOperator({ user, credential }: Principal, request: Request): boolean {
    if (credential.type !== 'session' || !credential.inCookie) return false;
    if (user.operator === 'first_account') return this.config.trustProxy === 0 && isFromThisMachine(request);
    return user.operator === 'named';
  }
}

const isProlonged = ({ credential }: Principal): boolean => credential.type === 'session' && credential.prolonged;
