import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { TrustedProxies } from '../../../platform/http/trusted-proxies.js';
import { HostingSettings } from '../hosting.settings.js';
import type { CustomHost } from '../persistence/custom-host.entity.js';

const PERMANENT_REDIRECT = 308;
/** Browsers keep the rule for a year. Names below the host are not included, because others may serve those. */
const STRICT_TRANSPORT_SECURITY = 'max-age=31536000';

/** Applies what the owner of a custom host chose: to redirect to another host or to https, and HSTS. */
@Injectable()
export class CustomHostRules {
  constructor(
    private readonly settings: HostingSettings,
    private readonly proxies: TrustedProxies,
  ) {}

  /** Answers with a redirect and returns true, or leaves the request to be answered and returns false. */
  apply(
    request: IncomingMessage,
    response: ServerResponse,
    { host, custom }: { host: string; custom: CustomHost },
  ): boolean {
    // Without a trusted proxy, nobody vouches for how the visitor came, and a redirect might never end.
    const scheme = this.proxies.includes(request) ? schemeOf(request) : undefined;
    if (scheme === 'https:' && custom.hsts) response.setHeader('Strict-Transport-Security', STRICT_TRANSPORT_SECURITY);
    const becomesSecure = scheme === 'http:' && custom.httpsRedirect;
    if (custom.redirectTo === null && !becomesSecure) return false;
    const target = becomesSecure ? 'https:' : (scheme ?? this.settings.appsUrl.scheme);
    redirect(response, `${target}//${custom.redirectTo ?? host}${this.portOf(target)}${targetOf(request)}`);
    return true;
  }

  /** A port that the operator configured belongs to one scheme. */
  private portOf(scheme: string): string {
    const { appsUrl } = this.settings;
    return appsUrl.scheme === scheme ? appsUrl.port : '';
  }
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(PERMANENT_REDIRECT, {
    Location: location,
    'Content-Length': '0',
    'Cache-Control': 'public, max-age=0, must-revalidate',
  });
  response.end();
}

function schemeOf({ headers }: IncomingMessage): 'http:' | 'https:' | undefined {
  const forwarded = headers['x-forwarded-proto'];
  return forwarded === 'http' || forwarded === 'https' ? `${forwarded}:` : undefined;
}

/** A target that is not a path, such as `*`, cannot be redirected to. */
const targetOf = ({ url = '/' }: IncomingMessage): string => (url.startsWith('/') ? url : '/');
