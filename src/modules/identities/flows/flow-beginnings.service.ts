import { Injectable } from '@nestjs/common';
import { AttemptsService } from '../../auth/attempts.service.js';
import { TooManyAttempts } from '../../limits/limits.errors.js';
import { type BeginBrowserSignInInput, BrowserSignInsService } from '../browser-sign-ins.service.js';
import { ConnectionDirectory, type WantedConnection } from '../connection-directory.js';
import { type BeginSignInInput, type BegunSignIn, ExternalSignInsService } from '../external-sign-ins.service.js';

/** A sign-in through a provider or a connection, or that of a program, which a person in a session approves. */
export type WantedFlow =
  | ({ readonly method: 'provider' } & Omit<BeginSignInInput, 'userId'>)
  | ({ readonly method: 'sso'; readonly wanted: WantedConnection } & Omit<BeginSignInInput, 'userId' | 'source'>)
  | ({ readonly method: 'browser' } & BeginBrowserSignInInput);

/** Nobody may list by guessing which organizations and domains have a connection. */
const LOOKUPS = { name: 'sso_lookup', attempts: 60, periodSeconds: 900, Refusal: TooManyAttempts };

/** Begins sign-ins that a browser goes through. */
@Injectable()
export class FlowBeginningsService {
  constructor(
    private readonly external: ExternalSignInsService,
    private readonly browser: BrowserSignInsService,
    private readonly connections: ConnectionDirectory,
    private readonly attempts: AttemptsService,
  ) {}

  /**
   * @throws {SsoConnectionNotFound} `sso_connection_not_found`, and what {@link ExternalSignInsService.begin} and
   * {@link BrowserSignInsService.begin} throw.
   */
  async begin(wanted: WantedFlow, ip: string): Promise<BegunSignIn> {
    switch (wanted.method) {
      case 'browser':
        return this.browser.begin(wanted, ip);
      case 'provider':
        return this.external.begin(wanted, ip);
      case 'sso': {
        await this.attempts.countAddress(LOOKUPS, ip);
        const connectionId = await this.connections.find(wanted.wanted);
        return this.external.begin({ ...wanted, source: { provider: 'sso', connectionId } }, ip);
      }
    }
  }
}
