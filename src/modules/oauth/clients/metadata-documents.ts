import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { PublicFetch } from '../../../platform/egress/public-fetch.js';
import { publicTargetOf } from '../../../platform/egress/public-target.js';
import { Clock } from '../../../platform/time/clock.js';
import { describedBy, type OauthClient } from '../domain/client-metadata.js';
import { OauthFlowMetrics } from '../metrics/oauth-flow.metrics.js';
import { ClientMetadataInvalid } from '../oauth.errors.js';
import { OauthSettings } from '../oauth.settings.js';

const MAX_BYTES = 5_120;
const TIMEOUT_MS = 5_000;
const MAX_ADDRESS = 500;
const MAX_DOCUMENTS = 1_000;
const MAX_FETCHES = 20;
const FRESH_MS = 5 * 60_000;
/** A document that could not be read is not requested again at once. */
const FAILED_MS = 10_000;

interface Fetched {
  readonly client: OauthClient | undefined;
  readonly untilMs: number;
}

/** Clients whose id is the address of a document that describes them. */
@Injectable()
export class MetadataDocuments {
  private readonly documents = new LRUCache<string, Fetched>({ max: MAX_DOCUMENTS });
  private readonly fetches = new Map<string, Promise<OauthClient | undefined>>();

  constructor(
    private readonly publicFetch: PublicFetch,
    private readonly settings: OauthSettings,
    private readonly metrics: OauthFlowMetrics,
    private readonly clock: Clock,
  ) {}

  /** Returns the address if it can be the id of a client, without asking for the document. */
  addressOf(id: string): URL | undefined {
    if (id.length > MAX_ADDRESS || !/^https?:\/\/[\x21-\x7e]+$/.test(id) || /[\\#@]|\/\.{1,2}(?:\/|$)/.test(id))
      return undefined;
    const target = publicTargetOf(id, { trusted: this.settings.trustedClientHosts });
    // One client has one spelling of its id, so that no two of them look like one.
    return target?.url.href === id ? target.url : undefined;
  }

  /** Fetches the document, unless it is remembered. Returns undefined when it describes no client. Never throws. */
  find(id: string): Promise<OauthClient | undefined> | OauthClient | undefined {
    const url = this.addressOf(id);
    if (url === undefined) return undefined;
    const known = this.documents.get(id);
    if (known !== undefined && this.clock.now().getTime() < known.untilMs) return known.client;
    const running = this.fetches.get(id);
    if (running !== undefined) return running;
    // A caller that names many addresses at once must not keep this process busy with fetching them.
    if (this.fetches.size >= MAX_FETCHES) {
      this.metrics.metadataFetch('refused');
      return undefined;
    }
    const fetching = this.fetch(id, url).finally(() => this.fetches.delete(id));
    this.fetches.set(id, fetching);
    return fetching;
  }

  private async fetch(id: string, url: URL): Promise<OauthClient | undefined> {
    const client = await this.read(id, url);
    const keptMs = client === undefined ? FAILED_MS : FRESH_MS;
    this.documents.set(id, { client, untilMs: this.clock.now().getTime() + keptMs });
    return client;
  }

  private async read(id: string, { host }: URL): Promise<OauthClient | undefined> {
    const answer = await this.publicFetch.fetch({
      url: id,
      method: 'GET',
      headers: { accept: 'application/json' },
      trusted: this.settings.trustedClientHosts,
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      maxRedirects: 0,
    });
    if ('fault' in answer) {
      const isRefused = answer.fault === 'private_address' || answer.fault === 'refused_url';
      this.metrics.metadataFetch(isRefused ? 'refused' : 'failed');
      return undefined;
    }
    const client = answer.status === 200 && !answer.isCut ? clientOf(id, host, answer.bytes) : undefined;
    this.metrics.metadataFetch(client === undefined ? 'invalid' : 'fetched');
    return client;
  }
}

function clientOf(id: string, host: string, bytes: Buffer): OauthClient | undefined {
  try {
    const metadata: unknown = JSON.parse(bytes.toString());
    if (typeof metadata !== 'object' || metadata === null) return undefined;
    const fields = metadata as Record<string, unknown>;
    // A document that names another client would lend its own host to that one.
    if (fields.client_id !== id || 'client_secret' in fields) return undefined;
    return { id, way: 'metadata', host, ...describedBy(fields) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ClientMetadataInvalid) return undefined;
    throw error;
  }
}
