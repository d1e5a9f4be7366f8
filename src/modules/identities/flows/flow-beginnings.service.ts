import { Injectable } from '@nestjs/common';
import { type BeginBrowserSignInInput, BrowserSignInsService } from '../browser-sign-ins.service.js';
import { type BeginSignInInput, type BegunSignIn, ExternalSignInsService } from '../external-sign-ins.service.js';

/** A sign-in through a provider, or that of a program, which a person in a session approves. */
export type WantedFlow =
  | ({ readonly method: 'provider' } & Omit<BeginSignInInput, 'userId'>)
  | ({ readonly method: 'browser' } & BeginBrowserSignInInput);

/** Begins sign-ins that a browser goes through. */
@Injectable()
export class FlowBeginningsService {
  constructor(
    private readonly external: ExternalSignInsService,
    private readonly browser: BrowserSignInsService,
  ) {}

  /** @throws what {@link ExternalSignInsService.begin} and {@link BrowserSignInsService.begin} throw. */
  begin(wanted: WantedFlow, ip: string): Promise<BegunSignIn> {
    return wanted.method === 'browser' ? this.browser.begin(wanted, ip) : this.external.begin(wanted, ip);
  }
}
