import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { hostNameOf } from '../../../platform/http/host-name.js';
import { TrustedProxies } from '../../../platform/http/trusted-proxies.js';
import { AppDomain } from './app-domain.js';

/** The host of a deploy: `shop-k3f9x2a7cd.apps.example.com`, and the label in front of the apps' domain. */
export interface AppHost {
  readonly host: string;
  readonly label: string;
}

const MAX_REMEMBERED = 1_000;
/** What a name can have (RFC 1035), and a port. */
const MAX_LENGTH = 260;

/** Tells which app's host a request is for. */
@Injectable()
export class AppHosts {
  /** By the value of `Host`; the same few are named again and again. */
  private readonly known = new Map<string, AppHost>();

  constructor(
    private readonly domain: AppDomain,
    private readonly proxies: TrustedProxies,
  ) {}

  /**
   * Undefined where the host is none of an app. `X-Forwarded-Host` counts where a trusted proxy has set it and has
   * called us by a name that is not an app's itself: else a caller could choose it freely.
   */
  of(request: IncomingMessage): AppHost | undefined {
    const { headers } = request;
    const header = headers.host ?? '';
    const known = this.known.get(header);
    if (known !== undefined) return known;
    const named = this.parse(hostNameOf(header));
    if (named !== undefined) return this.remember(header, named);
    const forwarded = this.parse(hostNameOf(headers['x-forwarded-host']?.toString().split(',').at(-1)?.trim()));
    return forwarded !== undefined && this.proxies.includes(request) ? forwarded : undefined;
  }

  private parse(host: string | undefined): AppHost | undefined {
    const label = host === undefined ? undefined : this.domain.labelOf(host);
    return label === undefined ? undefined : { host: host!, label };
  }

  private remember(header: string, host: AppHost): AppHost {
    if (header.length > MAX_LENGTH) return host;
    // A caller who names many that do not exist makes us forget, and not remember without end.
    if (this.known.size === MAX_REMEMBERED) this.known.clear();
    this.known.set(header, host);
    return host;
  }
}
