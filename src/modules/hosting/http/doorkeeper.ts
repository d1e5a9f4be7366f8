import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Place } from '../site/host-lookup.js';
import type { LoadedSite } from '../site/sites.js';
import { AccessGate } from './access-gate.js';
import type { GuardedPlace } from './access-request.js';
import { CustomHostRules } from './custom-host-rules.js';
import { type Refusal, refuse } from './error-pages.js';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** A challenge for a certificate (RFC 8555, section 8.3). No other spelling of such a path counts. */
const CHALLENGE = /^\/\.well-known\/acme-challenge\/[\w-]{1,128}$/;

/** Decides at each host what happens before anything of its app answers: redirects first, then protection. */
@Injectable()
export class Doorkeeper {
  constructor(
    private readonly rules: CustomHostRules,
    private readonly gate: AccessGate,
  ) {}

  /** Answers with the redirect that the owner of a custom host chose and returns true, or returns false. */
  redirects({ request, response }: Exchange, { host, custom }: Place): boolean {
    return custom !== undefined && this.rules.apply(request, response, { host, custom });
  }

  /** Returns true when the visitor may see the app. Otherwise the request has been answered here. */
  async admits({ request, response }: Exchange, place: Place, loaded: LoadedSite | null): Promise<boolean> {
    const guarded = guardedOf(place);
    if (guarded === undefined) return true;
    if (!isChallenge(request)) return this.gate.admits(request, response, guarded);
    // A certificate authority sends no cookie. It gets a file that was deployed for it, and nothing that a rule or the
    // server of the app would answer to every path.
    if (loaded?.site.holds(request.url ?? '') === true) return true;
    refuse(response, 'page_not_found');
    return false;
  }

  /** Returns why a connection may not be upgraded, or undefined when the app may decide. */
  refusalOfUpgrade(request: IncomingMessage, place: Place): Refusal | undefined {
    if (place.custom?.redirectTo != null) return 'not_found';
    const guarded = guardedOf(place);
    return guarded === undefined || this.gate.holdsAccess(request, guarded) ? undefined : 'protected';
  }
}

/** A custom host shows the production deploy, so that the guard is that of production. Its tokens are its own. */
function guardedOf({ host, label, shown }: Place): GuardedPlace | undefined {
  return shown?.guard === undefined ? undefined : { label: label ?? host, guard: shown.guard };
}

const isChallenge = ({ method, url = '' }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && CHALLENGE.test(url);
