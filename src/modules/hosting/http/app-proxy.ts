import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { HostingSettings } from '../hosting.settings.js';
import { TrustedProxies } from '../../../platform/http/trusted-proxies.js';
import { Log } from '../../../platform/logging/log.js';
import { AppServersService } from '../app-servers.service.js';
import { AppUnavailable } from '../hosting.errors.js';
import type { AppServer } from '../servers/app-server.js';
import { AppExchange } from './app-exchange.js';
import { headOfUpgrade, joinEnds, mayUpgrade, type UpgradeRequest } from './app-tunnel.js';
import { refuse } from './error-pages.js';
import { forwardedHeaders } from './forwarded-headers.js';
import { MAX_HEAD_BYTES } from './proxy-limits.js';
import type { Visit } from './visit.js';

/** The connection of a request to an app. The default is a kept connection. */
interface ConnectionOptions {
  readonly agent?: Agent | false;
  readonly upgrade?: string | undefined;
  /** The default is the path of the request. */
  readonly path?: string | undefined;
  readonly traceparent?: string | undefined;
}

const PAGE_OF = { failed: 'app_failed', full: 'app_unavailable', plan: 'app_places_taken' } as const;

/** Streams requests to the servers of deploys, and their answers back. */
@Injectable()
export class AppProxy {
  constructor(
    private readonly settings: HostingSettings,
    private readonly proxies: TrustedProxies,
    private readonly servers: AppServersService,
    private readonly log: Log,
  ) {}

  /** Resolves when the request was sent to the app, or the platform has answered in its place. */
  async answer(visit: Visit, deployId: string): Promise<void> {
    const { request, response } = visit;
    const server = await this.serverFor(deployId, response);
    if (server === undefined) return;
    visit.by = 'server';
    new AppExchange({
      request,
      response,
      extraHeaders: visit.extraHeaders,
      open: (isFresh) =>
        this.requestTo(server, request, visit.host, {
          path: visit.target,
          traceparent: visit.traceparent,
          ...(isFresh ? { agent: false } : {}),
        }),
      onRefusal: () => {
        visit.by = 'platform';
      },
      onFault: (error) => {
        this.report(error, deployId);
      },
    }).start();
  }

  /** Upgrades a connection to another protocol, usually WebSocket. */
  async upgrade(asked: UpgradeRequest, deployId: string, host: string): Promise<void> {
    const { request, response, socket } = asked;
    if (!mayUpgrade(request)) {
      refuse(response, 'bad_request');
      return;
    }
    const server = await this.serverFor(deployId, response, socket);
    if (server === undefined) return;
    new AppExchange({
      request,
      response,
      // An upgraded connection is never reused.
      open: () => this.requestTo(server, request, host, { agent: false, upgrade: request.headers.upgrade }),
      upgrade: (answer, other, otherHead) => {
        const switching = headOfUpgrade(answer, request);
        if (switching === undefined || socket.destroyed) return false;
        response.detachSocket(socket);
        socket.write(switching, 'latin1');
        joinEnds(asked, other, otherHead);
        return true;
      },
      onRefusal: () => undefined,
      onFault: (error) => {
        this.report(error, deployId);
      },
    }).start();
  }

  /**
   * Returns the server, which stays awake until `used` is closed. Returns undefined when the request was answered here,
   * or when the visitor has left.
   */
  private async serverFor(
    deployId: string,
    response: ServerResponse,
    used: ServerResponse | Socket = response,
  ): Promise<AppServer | undefined> {
    let server: AppServer;
    try {
      server = await this.servers.reach(deployId);
    } catch (error) {
      if (!(error instanceof AppUnavailable)) throw error;
      if (!response.destroyed) refuse(response, PAGE_OF[error.reason]);
      return undefined;
    }
    const release = await server.use();
    used.once('close', release);
    if (!server.isListening && !(await this.isStarted(server, response))) return undefined;
    if (!used.destroyed) return server;
    release();
    return undefined;
  }

  /** Waits until a server listens. Returns false when it did not and the request was answered here. */
  private async isStarted(server: AppServer, response: ServerResponse): Promise<boolean> {
    try {
      await server.listening;
      return true;
    } catch {
      if (!response.destroyed) refuse(response, 'app_failed');
      return false;
    }
  }

  private requestTo(
    server: AppServer,
    request: IncomingMessage,
    host: string,
    { agent = server.agent, upgrade, path = request.url, traceparent }: ConnectionOptions,
  ): ClientRequest {
    const { scheme } = this.settings.appsUrl;
    const forwarding = {
      scheme,
      host,
      chain: this.proxies.chainOf(request),
      isTrusted: this.proxies.includes(request),
      traceparent,
    };
    const headers = forwardedHeaders(request, forwarding);
    if (upgrade !== undefined) headers.push('Connection', 'Upgrade', 'Upgrade', upgrade);
    return httpRequest({
      socketPath: server.socketPath,
      agent,
      method: request.method,
      path,
      headers: headers as never,
      setHost: false,
      maxHeaderSize: MAX_HEAD_BYTES,
    });
  }

  private report(error: unknown, deployId: string): void {
    this.log.error({ error, deployId }, 'Could not pass on the answer of an app.');
  }
}
