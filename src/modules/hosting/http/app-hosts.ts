import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { hostNameOf } from '../../../platform/http/host-name.js';
import { TrustedProxies } from '../../../platform/http/trusted-proxies.js';
import type { AppHost } from '../site/host-lookup.js';
import { AppDomain } from './app-domain.js';

const MAX_REMEMBERED = 1_000;
/** The length of the longest name (RFC 1035) with a port. */
const MAX_LENGTH = 260;

/** Finds the app hosts that a request may be for. */
@Injectable()
export class AppHosts {
  /** Keyed by the value of `Host`. */
  private readonly known = new Map<string, readonly [AppHost]>();

  constructor(
    private readonly domain: AppDomain,
    private readonly proxies: TrustedProxies,
  ) {}

  /**
   * Returns the hosts that the request may be for, the most likely one first; none when it cannot belong to an app.
   * `X-Forwarded-Host` counts only when a trusted proxy sends it and `Host` is not the host of an app, because
   * otherwise a caller could choose it.
   */
  of(request: IncomingMessage): readonly AppHost[] {
    const { headers } = request;
    const header = headers.host ?? '';
    const known = this.known.get(header);
    if (known !== undefined) return known;
    const named = this.parse(hostNameOf(header));
    if (named?.label !== undefined) return this.remember(header, named);
    const forwarded = this.proxies.includes(request)
      ? this.parse(hostNameOf(headers['x-forwarded-host']?.toString().split(',').at(-1)?.trim()))
      : undefined;
    return [named, forwarded].filter((host) => host !== undefined);
  }

  private parse(host: string | undefined): AppHost | undefined {
    if (host === undefined) return undefined;
    const label = this.domain.labelOf(host);
    return label !== undefined || this.domain.mayBeCustom(host) ? { host, label } : undefined;
  }

  private remember(header: string, host: AppHost): readonly [AppHost] {
    const hosts = [host] as const;
    if (header.length > MAX_LENGTH) return hosts;
    // A caller that sends many unknown hosts clears the map, so it cannot grow without limit.
    if (this.known.size === MAX_REMEMBERED) this.known.clear();
    this.known.set(header, hosts);
    return hosts;
  }
}
