import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { type HostHandler, OtherHosts } from '../../../platform/http/other-hosts.js';
import { Log } from '../../../platform/logging/log.js';
import { HostingMetrics } from '../hosting.metrics.js';
import { AliasCache, type ShownDeploy } from '../site/alias-cache.js';
import { pathOfTarget } from '../site/request-path.js';
import { type LoadedSite, Sites } from '../site/sites.js';
import { AppProxy } from './app-proxy.js';
import { refuse } from './error-pages.js';
import { StaticFiles } from './static-files.js';
import { Visit } from './visit.js';

/** The way in to apps: takes the requests for hosts below the apps domain, before anything of the platform sees them. */
@Injectable()
export class AppDoor implements HostHandler, OnModuleInit {
  private readonly suffix: string;

  constructor(
    config: Config,
    private readonly hosts: OtherHosts,
    private readonly aliases: AliasCache,
    private readonly sites: Sites,
    private readonly files: StaticFiles,
    private readonly proxy: AppProxy,
    private readonly log: Log,
    private readonly metrics: HostingMetrics,
  ) {
    this.suffix = `.${config.apps.domain}`;
  }

  onModuleInit(): void {
    this.hosts.serve(this);
  }

  takes(host: string): boolean {
    return host.endsWith(this.suffix);
  }

  answer(request: IncomingMessage, response: ServerResponse, host: string): void {
    const visit = new Visit({ request, response, host, label: host.slice(0, -this.suffix.length) }, this.log, this.metrics);
    // What is asked for often is in memory, and answered without waiting for anything.
    const shown = this.aliases.known(visit.label);
    const loaded = shown === undefined || shown === null ? undefined : this.sites.known(shown.deployId);
    if (loaded !== undefined) this.serve(visit, loaded);
    else void this.look(visit, shown);
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, host: string): void {
    socket.on('error', () => undefined);
    const label = host.slice(0, -this.suffix.length);
    this.loadedOf(label).then(async (loaded) => {
      if (loaded?.site.hasServer === true && pathOfTarget(request.url ?? '') !== undefined) await this.proxy.upgrade(request, socket, head, loaded.deployId);
      else socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    }).catch((error: unknown) => {
      this.log.warn({ error, app: label }, 'An app could not be connected to.');
      socket.end('HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    });
  }

  private async look(visit: Visit, known: ShownDeploy | null | undefined): Promise<void> {
    visit.mayBreakOff();
    try {
      const loaded = await this.loadedOf(visit.label, known);
      if (loaded === null) refuse(visit.response, 'not_found');
      else this.serve(visit, loaded);
    } catch (error) {
      this.failed(visit, error);
    }
  }

  private async loadedOf(label: string, known: ShownDeploy | null | undefined = this.aliases.known(label)): Promise<LoadedSite | null> {
    const shown = known === undefined ? await this.aliases.find(label) : known;
    return shown === null ? null : this.sites.known(shown.deployId) ?? this.sites.find(shown.deployId);
  }

  private serve(visit: Visit, loaded: LoadedSite): void {
    visit.loaded = loaded;
    const { request: { url = '/', method }, response } = visit;
    const path = pathOfTarget(url);
    const isRead = method === 'GET' || method === 'HEAD';
    if (path === undefined) refuse(response, 'bad_request');
    else if (isRead) this.read(visit, loaded, path);
    else if (loaded.site.hasServer) this.ask(visit, loaded);
    else refuse(response, 'method_not_allowed');
  }

  private read(visit: Visit, loaded: LoadedSite, path: string): void {
    const { request, response } = visit;
    const { url = '/', headers } = request;
    const { site, createdAt } = loaded;
    const start = url.indexOf('?');
    const facts = { host: visit.host, query: start === -1 ? '' : url.slice(start), headers };
    const resolution = site.resolve(path, facts);
    if (resolution.kind === 'none') {
      if (site.hasServer) this.ask(visit, loaded);
      else refuse(response, 'page_not_found');
      return;
    }
    visit.by = 'static';
    const extra = site.headersOf(path, facts);
    if (resolution.kind === 'redirect') {
      response.writeHead(resolution.status, [...extra.flat(), 'Location', resolution.location, 'Content-Length', '0', 'Cache-Control', 'public, max-age=0, must-revalidate']);
      response.end();
      return;
    }
    const { file, status } = resolution;
    const sending = this.files.answer(request, response, { file, status, modifiedAt: createdAt, extra });
    if (sending === undefined) return;
    visit.mayBreakOff();
    sending.catch((error: unknown) => { this.failed(visit, error); });
  }

  private ask(visit: Visit, { deployId }: LoadedSite): void {
    visit.mayBreakOff();
    this.proxy.answer(visit, deployId).catch((error: unknown) => { this.failed(visit, error); });
  }

  private failed(visit: Visit, error: unknown): void {
    this.log.error({ error, app: visit.label, deployId: visit.loaded?.deployId }, 'A request to an app could not be answered.');
    visit.by = 'platform';
    if (visit.response.headersSent) visit.response.destroy();
    else refuse(visit.response, 'app_unavailable');
  }
}
