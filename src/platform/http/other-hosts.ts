import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';

/** Answers requests for hosts of its own, before anything of the platform's sees them. */
export abstract class HostHandler {
  /** @param host in lower case, without port. */
  abstract takes(host: string): boolean;
  abstract answer(request: IncomingMessage, response: ServerResponse, host: string): void;
  abstract upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, host: string): void;
}

/** Whether this address is a proxy of ours, as Express has compiled `TRUST_PROXY`. */
export type TrustsAddress = (address: string, hop: number) => boolean;

/** What one request is for, where that is not the platform. */
export interface OtherHost {
  readonly host: string;
  readonly handler: HostHandler;
}

const MAX_REMEMBERED = 1_000;
/** What a name can have (RFC 1035), and a port. */
const MAX_LENGTH = 260;

/**
 * Parts the requests for the platform from those for hosts that a module serves. What people deploy must never answer
 * under the platform's own name, where it would be trusted as the platform, and the other way round.
 */
@Injectable()
export class OtherHosts {
  private readonly ownHosts: ReadonlySet<string>;
  private handler: HostHandler | undefined;
  /** By what `Host` said; the same few are named again and again. */
  private readonly named = new Map<string, OtherHost>();
  private trusts: TrustsAddress = () => false;

  constructor(config: Config) {
    this.ownHosts = new Set([config.publicUrl, config.dashboardUrl, config.docsUrl].map((url) => hostOf(new URL(url).host)!));
  }

  serve(handler: HostHandler): void {
    this.handler = handler;
  }

  trust(trusts: TrustsAddress): void {
    this.trusts = trusts;
  }

  /**
   * Undefined for the platform's own. `X-Forwarded-Host` counts where a proxy of ours has set it and has called us by a
   * name that says nothing by itself: a caller who could choose it freely must not make the platform's name show an app.
   */
  of(request: IncomingMessage): OtherHost | undefined {
    const { headers } = request;
    const known = this.named.get(headers.host ?? '');
    if (known !== undefined) return known;
    const { handler } = this;
    const named = hostOf(headers.host);
    if (handler === undefined || named === undefined || this.ownHosts.has(named)) return undefined;
    if (handler.takes(named)) return this.remember(headers.host!, { host: named, handler });

    const forwarded = hostOf(headers['x-forwarded-host']?.toString().split(',').at(-1)?.trim());
    if (forwarded === undefined || this.ownHosts.has(forwarded) || !handler.takes(forwarded)) return undefined;
    return this.isTrusted(request) ? { host: forwarded, handler } : undefined;
  }

  /** Whether it comes from a proxy of ours (`TRUST_PROXY`). */
  isTrusted({ socket }: IncomingMessage): boolean {
    return this.trusts(socket.remoteAddress ?? '', 0);
  }

  private remember(named: string, other: OtherHost): OtherHost {
    if (named.length > MAX_LENGTH) return other;
    // Whoever names many that do not exist has them forgotten, and no more memory than this.
    if (this.named.size === MAX_REMEMBERED) this.named.clear();
    this.named.set(named, other);
    return other;
  }
}

/** `Shop.Example.com.:3000` is `shop.example.com`. */
function hostOf(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  const colon = text.startsWith('[') ? -1 : text.indexOf(':');
  const host = (colon === -1 ? text : text.slice(0, colon)).toLowerCase();
  return host.endsWith('.') ? host.slice(0, -1) : host;
}
