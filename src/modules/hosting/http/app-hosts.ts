import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { hostNameOf } from '../../../platform/http/host-name.js';
import { TrustedProxies } from '../../../platform/http/trusted-proxies.js';
import { AppDomain } from './app-domain.js';

/** The host of a deploy, `shop-k3f9x2a7cd.apps.example.com`, and the label before the apps' domain. */
export interface AppHost {
  readonly host: string;
  readonly label: string;
}

const MAX_REMEMBERED = 1_000;
/** The length of the longest name (RFC 1035) with a port. */
const MAX_LENGTH = 260;

/** Finds the app host that a request is for. */
@Injectable()
export class AppHosts {
  /** Keyed by the value of `Host`. */
  private readonly known = new Map<string, AppHost>();

  constructor(
    private readonly domain: AppDomain,
    private readonly proxies: TrustedProxies,
  ) {}

  /**
   * Returns undefined when the host does not belong to an app. `X-Forwarded-Host` counts only when a trusted proxy
   * sends it and `Host` is not an app host itself, because otherwise a caller could choose it.
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
    // A caller that sends many unknown hosts clears the map, so it cannot grow without limit.
    if (this.known.size === MAX_REMEMBERED) this.known.clear();
    this.known.set(header, host);
    return host;
  }
}
