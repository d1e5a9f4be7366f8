import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Origin } from '../../auth/sessions.service.js';
import { BrowserSignInsService } from '../../identities/browser-sign-ins.service.js';
import { ExternalSignInsService, type ShownCode } from '../../identities/external-sign-ins.service.js';
import { SsoSignInCompletionService } from '../sso/sso-sign-in-completion.service.js';
import type { SignedIn } from './account-sessions.js';
import { BrowserSignInCompletion } from './browser-sign-in-completion.js';
import { ExternalSignInCompletionService } from './external-sign-in-completion.service.js';

/** Completes sign-ins that a browser went through. */
@Injectable()
export class FlowCompletionService {
  constructor(
    private readonly database: Database,
    private readonly programs: BrowserSignInsService,
    private readonly signIns: ExternalSignInsService,
    private readonly browser: BrowserSignInCompletion,
    private readonly external: ExternalSignInCompletionService,
    private readonly sso: SsoSignInCompletionService,
  ) {}

  /**
   * @throws {ExternalSignInInvalid} `invalid_flow`, and what {@link ExternalSignInCompletionService.complete},
   * {@link SsoSignInCompletionService.complete} and {@link BrowserSignInCompletion.complete} throw.
   */
  async complete(shown: ShownCode, origin: Origin): Promise<SignedIn> {
    if (this.programs.owns(shown.id)) return this.browser.complete(shown, origin);
    const identity = await this.database.apart(() => this.signIns.peek(shown));
    return identity.provider === 'sso'
      ? this.sso.complete({ shown, identity, origin })
      : this.external.complete(shown, identity, origin);
  }
}
