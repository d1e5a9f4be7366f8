import { Injectable } from '@nestjs/common';
import type { Origin } from '../../auth/sessions.service.js';
import { BrowserSignInsService } from '../../identities/browser-sign-ins.service.js';
import type { ShownCode } from '../../identities/external-sign-ins.service.js';
import type { SignedIn } from './account-sessions.js';
import { BrowserSignInCompletion } from './browser-sign-in-completion.js';
import { ExternalSignInCompletionService } from './external-sign-in-completion.service.js';

/** Completes sign-ins that a browser went through. */
@Injectable()
export class FlowCompletionService {
  constructor(
    private readonly programs: BrowserSignInsService,
    private readonly browser: BrowserSignInCompletion,
    private readonly external: ExternalSignInCompletionService,
  ) {}

  /** @throws what {@link ExternalSignInCompletionService.complete} and {@link BrowserSignInCompletion} throw. */
  complete(shown: ShownCode, origin: Origin): Promise<SignedIn> {
    return this.programs.owns(shown.id) ? this.browser.complete(shown, origin) : this.external.complete(shown, origin);
  }
}
