import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import type { AppHost, Place } from '../site/host-lookup.js';
import { RequestTooCostly } from '../site/match-budget.js';
import { RequestFacts } from '../site/request-facts.js';
import { isTooLong, pathOfTarget } from '../site/request-path.js';
import type { LoadedSite } from '../site/sites.js';
import { AppProxy } from './app-proxy.js';
import { upgradeRequestOf } from './app-tunnel.js';
import { Doorkeeper } from './doorkeeper.js';
import { EarlierDeploys } from './earlier-deploys.js';
import { refuse } from './error-pages.js';
import { keepPrivate } from './private-answer.js';
import { ShownSites } from './shown-sites.js';
import { type FileAnswer, StaticFiles } from './static-files.js';
import type { Visit } from './visit.js';
import { Visits } from './visits.js';

interface UpgradeParts {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Answers requests for the hosts of deploys with a file of the deploy or through its server. */
@Injectable()
export class AppRequests {
  constructor(
    private readonly sites: ShownSites,
    private readonly earlier: EarlierDeploys,
    private readonly door: Doorkeeper,
    private readonly files: StaticFiles,
    private readonly proxy: AppProxy,
    private readonly visits: Visits,
    private readonly log: Log,
  ) {}

  answer(request: IncomingMessage, response: ServerResponse, hosts: readonly AppHost[]): void {
    const visit = this.visits.begin({ request, response, host: hosts[0]! });
    // Popular sites are in memory and, where everybody may see them, are answered without waiting.
    const place = this.sites.knownPlace(hosts);
    const isOpen = place?.shown != null && place.shown.guard === undefined;
    const loaded = isOpen ? this.sites.known(place.shown.deployId) : undefined;
    if (place != null && loaded !== undefined) this.enterOpen(visit, place, loaded);
    else void this.look(visit, hosts, place);
  }

  upgrade({ request, socket, head }: UpgradeParts, hosts: readonly AppHost[]): void {
    const asked = upgradeRequestOf(request, socket, head);
    this.sites
      .find(hosts)
      .then(async ({ place, loaded }) => {
        const refusal = place === null ? 'not_found' : this.door.refusalOfUpgrade(request, place);
        const isForServer = loaded?.site.hasServer === true && pathOfTarget(request.url ?? '') !== undefined;
        if (refusal !== undefined) refuse(asked.response, refusal);
        else if (isForServer) await this.proxy.upgrade(asked, loaded.deployId, place!.host);
        else refuse(asked.response, 'not_found');
      })
      .catch((error: unknown) => {
        this.log.warn({ error, app: hosts[0]?.host }, 'Could not connect to an app.');
        if (asked.response.headersSent) socket.destroy();
        else refuse(asked.response, 'app_unavailable');
      });
  }

  private async look(visit: Visit, hosts: readonly AppHost[], known: Place | null | undefined): Promise<void> {
    visit.allowDisconnect();
    try {
      const { place, loaded } = await this.sites.find(hosts, known);
      if (place === null) refuse(visit.response, 'not_found');
      else await this.enter(visit, place, loaded);
    } catch (error) {
      this.failed(visit, error);
    }
  }

  private enterOpen(visit: Visit, place: Place, loaded: LoadedSite): void {
    visit.host = place.host;
    if (this.door.redirects(visit, place)) return;
    if (this.earlier.concerns(visit.request, place, loaded)) void this.serveEarlier(visit, place, loaded);
    else this.serve(visit, loaded);
  }

  private async enter(visit: Visit, place: Place, loaded: LoadedSite | null): Promise<void> {
    visit.host = place.host;
    if (this.door.redirects(visit, place)) return;
    if (!(await this.door.admits(visit, place, loaded))) return;
    if (loaded === null) refuse(visit.response, 'not_found');
    else if (this.earlier.concerns(visit.request, place, loaded)) await this.serveEarlier(visit, place, loaded);
    else this.serve(visit, loaded);
  }

  /** Serves a page that was opened before the host got its current deploy. */
  private async serveEarlier(visit: Visit, place: Place, current: LoadedSite): Promise<void> {
    visit.allowDisconnect();
    try {
      const found = await this.earlier.find(visit.request, place, current);
      // The path alone does not say which deploy answers, and caches in between know the path only.
      if (found?.by === 'header') keepPrivate(visit.response);
      if (found?.file === undefined) this.serve(visit, found?.loaded ?? current);
      else this.send(visit, found.loaded, { file: found.file, status: 200, extra: [] });
    } catch (error) {
      this.failed(visit, error);
    }
  }

  private serve(visit: Visit, loaded: LoadedSite): void {
    visit.loaded = loaded;
    const {
      request: { url = '/', method },
      response,
    } = visit;
    const path = pathOfTarget(url);
    const isRead = method === 'GET' || method === 'HEAD';
    if (path === undefined) refuse(response, isTooLong(url) ? 'uri_too_long' : 'bad_request');
    else if (isRead || loaded.site.hasServer) this.readWithin(visit, loaded, path);
    else refuse(response, 'method_not_allowed');
  }

  /** The rules of a deploy have a time budget for each request. A request that would exceed it is refused. */
  private readWithin(visit: Visit, loaded: LoadedSite, path: string): void {
    try {
      this.read(visit, loaded, path);
    } catch (error) {
      if (!(error instanceof RequestTooCostly)) throw error;
      visit.by = 'platform';
      refuse(visit.response, 'request_too_complex');
    }
  }

  private read(visit: Visit, loaded: LoadedSite, path: string): void {
    const { request, response } = visit;
    const { url = '/', headers, method } = request;
    const { site } = loaded;
    const start = url.indexOf('?');
    const facts = new RequestFacts(
      visit.host,
      start === -1 ? '' : url.slice(start),
      headers,
      method === 'GET' || method === 'HEAD',
    );
    const resolution = site.resolve(path, facts);
    if (resolution.kind === 'none') {
      visit.target = resolution.target;
      visit.extraHeaders = site.headersOf(path, facts);
      if (site.hasServer) this.ask(visit, loaded);
      else refuse(response, 'page_not_found');
      return;
    }
    visit.by = 'static';
    const extra = site.headersOf(path, facts);
    if (resolution.kind === 'redirect') {
      response.writeHead(resolution.status, [
        ...extra.flat(),
        'Location',
        resolution.location,
        'Content-Length',
        '0',
        'Cache-Control',
        'public, max-age=0, must-revalidate',
      ]);
      response.end();
      return;
    }
    this.send(visit, loaded, { file: resolution.file, status: resolution.status, extra });
  }

  private send(visit: Visit, loaded: LoadedSite, answer: Omit<FileAnswer, 'modifiedAt'>): void {
    visit.loaded = loaded;
    visit.by = 'static';
    const { request, response } = visit;
    const sending = this.files.answer(request, response, { ...answer, modifiedAt: loaded.createdAt });
    if (sending === undefined) return;
    visit.allowDisconnect();
    sending.catch((error: unknown) => {
      this.failed(visit, error);
    });
  }

  private ask(visit: Visit, { deployId }: LoadedSite): void {
    visit.allowDisconnect();
    this.proxy.answer(visit, deployId).catch((error: unknown) => {
      this.failed(visit, error);
    });
  }

  private failed(visit: Visit, error: unknown): void {
    this.log.error(
      { error, app: visit.label, deployId: visit.loaded?.deployId },
      'Could not answer a request to an app.',
    );
    visit.by = 'platform';
    if (visit.response.headersSent) visit.response.destroy();
    else refuse(visit.response, 'app_unavailable');
  }
}
