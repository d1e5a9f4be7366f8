import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Place } from '../site/host-lookup.js';
import { pathOfTarget } from '../site/request-path.js';
import { isBundled } from '../site/site.js';
import type { SiteFile } from '../site/site-file.js';
import type { LoadedSite } from '../site/sites.js';
import { ShownSites } from './shown-sites.js';

/** Next.js adds these to the requests of a page. Their value is the id of the deploy that the page came from. */
const PARAMETER = 'dpl';
const HEADER = 'x-deployment-id';
const WELL_KNOWN = '/.well-known/';

/** What an earlier deploy answers: with this file, or with all that it has. */
interface EarlierAnswer {
  readonly loaded: LoadedSite;
  readonly file?: SiteFile;
  readonly by: 'header' | 'target';
}

/**
 * Serves open pages after their deploy was replaced. A page stays with the deploy that it came from if its requests
 * name it, and otherwise still finds the files that bundlers name by their content. Both are limited to what the same
 * host has served within the last day, so that a host never shows what it has not shown before.
 */
@Injectable()
export class EarlierDeploys {
  constructor(private readonly sites: ShownSites) {}

  /** False when only the current deploy can answer, which is decided without waiting. */
  concerns(request: IncomingMessage, { shown }: Place, current: LoadedSite): boolean {
    if (shown === null || shown.earlier.length === 0) return false;
    return namedIn(request, shown.earlier) !== undefined || missingAsset(request, current) !== undefined;
  }

  /** Returns undefined when the current deploy answers. */
  async find(request: IncomingMessage, { shown }: Place, current: LoadedSite): Promise<EarlierAnswer | undefined> {
    const { earlier = [] } = shown ?? {};
    const named = namedIn(request, earlier);
    if (named !== undefined) {
      const loaded = await this.sites.load(named.deployId);
      if (loaded !== null) return { loaded, by: named.by };
    }
    const path = missingAsset(request, current);
    if (path === undefined) return undefined;
    for (const deployId of earlier) {
      const loaded = await this.sites.load(deployId);
      const file = loaded?.site.immutableFile(path);
      if (loaded !== null && file !== undefined) return { loaded, file, by: 'target' };
    }
    return undefined;
  }
}

/** Challenges of certificate authorities pass the protection of a host, and only its current deploy answers them. */
function namedIn(
  { url = '', headers }: IncomingMessage,
  earlier: readonly string[],
): { readonly deployId: string; readonly by: 'header' | 'target' } | undefined {
  if (url.startsWith(WELL_KNOWN)) return undefined;
  const header = headers[HEADER]?.toString();
  const asked = header ?? parameterOf(url);
  const deployId = earlier.find((each) => each === asked);
  return deployId === undefined ? undefined : { deployId, by: header === undefined ? 'target' : 'header' };
}

function parameterOf(url: string): string | undefined {
  const start = url.indexOf('?');
  if (start === -1 || !url.includes(`${PARAMETER}=`, start)) return undefined;
  return new URLSearchParams(url.slice(start + 1)).get(PARAMETER) ?? undefined;
}

function missingAsset({ url = '', method }: IncomingMessage, { site }: LoadedSite): string | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const path = pathOfTarget(url);
  return path !== undefined && isBundled(path) && !site.holds(path) ? path : undefined;
}
