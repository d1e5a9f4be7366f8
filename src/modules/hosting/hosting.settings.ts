import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { IntegerSetting, ParsedSetting, TextSetting } from '../../platform/config/setting.js';
import { type AppsUrl, parseAppsUrl } from './settings/apps-url.js';
import { type ArtifactsAddress, type ArtifactsPlace, parseArtifactsUrl } from './settings/artifacts-url.js';

export type { ArtifactsPlace };

/** For S3; undefined: requests are not signed by a key of ours. */
export type ArtifactsCredentials =
  | { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken: string | undefined }
  | undefined;

/** Where deploys are reached, and where their files are kept. */
export class HostingSettings extends ModuleSettings {
  @IntegerSetting({
    name: 'APPS_PORT',
    summary: 'Port for the hosts of deploys, in the role `edge`. `0` takes a free one.',
    unset: 'the one after `PORT`',
    example: '3001',
    min: 0,
    max: 65_535,
  })
  private readonly givenPort?: number;

  @ParsedSetting({
    name: 'APPS_URL',
    summary:
      'Where the world reaches deploys: each has a host name below the host of this address. Browsers lead `*.localhost` to this machine. Elsewhere use a domain of its own, with a wildcard record and certificate: apps there must not share cookies with yours.',
    unset: '`http://localhost:<APPS_PORT>`',
    see: 'hosting.md',
    example: 'http://localhost:3001',
    parse: parseAppsUrl,
    rule: 'must be http:// or https://, a domain in lower case, and nothing after an optional port',
  })
  private readonly givenUrl?: AppsUrl;

  @IntegerSetting({
    name: 'APP_FREEZE_AFTER_MS',
    summary: 'How long the server of a deploy runs without requests before it is frozen; the next request wakes it.',
    unit: 'ms',
    min: 100,
    max: 86_400_000,
  })
  readonly freezeAfterMs: number = 60_000;

  @IntegerSetting({
    name: 'APP_STOP_AFTER_MS',
    summary: 'How long it is kept without requests before it is stopped; the next request starts it.',
    unit: 'ms',
    min: 100,
    max: 86_400_000,
  })
  readonly stopAfterMs: number = 600_000;

  @ParsedSetting({
    name: 'ARTIFACTS_URL',
    summary:
      'Where files of deploys are kept: `file:` is a directory in `DATA_DIR`, `file:///path` another, `s3://bucket/prefix?endpoint=https://…&region=…` a bucket, which several machines need to share.',
    unset: '`file:`',
    example: 'file:',
    parse: parseArtifactsUrl,
    rule: 'must be file:, file:///path or s3://bucket/prefix?endpoint=https://…&region=…',
  })
  private readonly artifactsAddress: ArtifactsAddress = { kind: 'file', directory: undefined };

  @TextSetting({
    name: 'AWS_ACCESS_KEY_ID',
    summary: 'For `ARTIFACTS_URL=s3://…`. Without it, what the machine has by itself is used.',
  })
  private readonly accessKeyId?: string;

  @TextSetting({ name: 'AWS_SECRET_ACCESS_KEY', summary: 'For `ARTIFACTS_URL=s3://…`.' })
  private readonly secretAccessKey?: string;

  @TextSetting({
    name: 'AWS_SESSION_TOKEN',
    summary: 'For `ARTIFACTS_URL=s3://…`, with a key that is lent for a time.',
  })
  private readonly sessionToken?: string;

  /** The port that the role `edge` listens on. */
  get listenPort(): number {
    const { port } = this.config;
    return this.givenPort ?? (port === 0 ? 0 : port + 1);
  }

  /** A deploy is reached at `<scheme>//<label>.<domain><port>`. */
  get appsUrl(): AppsUrl {
    return this.givenUrl ?? parseAppsUrl(`http://localhost:${this.listenPort}`)!;
  }

  /**
   * What servers of deploys unpack to is below it. Services on one machine do not know of each other, and each removes
   * what it does not know.
   */
  get serversDirectory(): string {
    const place = createHash('sha256').update(this.config.dataDir).digest('hex').slice(0, 12);
    return join(this.config.isolatedHome, 'apps', place);
  }

  get artifactsPlace(): ArtifactsPlace {
    const address = this.artifactsAddress;
    if (address.kind === 's3') return address;
    return { kind: 'file', directory: address.directory ?? join(this.config.dataDir, 'artifacts') };
  }

  get artifactsCredentials(): ArtifactsCredentials {
    const { accessKeyId, secretAccessKey, sessionToken } = this;
    if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
    return { accessKeyId, secretAccessKey, sessionToken };
  }

  override faults(environment: NodeJS.ProcessEnv): readonly string[] {
    return [
      // An operator who upgrades must not find a setting silently without effect.
      ...(environment['APPS_DOMAIN'] === undefined
        ? []
        : ['APPS_DOMAIN was replaced by APPS_URL, for example APPS_URL=https://apps.example.com']),
      ...this.portsThatClash(),
    ];
  }

  /** A hosted page must never share a listener with the API. */
  private portsThatClash(): string[] {
    const { role, port } = this.config;
    if (role !== 'all' && role !== 'edge') return [];
    if (this.givenPort === undefined) return port === 65_535 ? ['APPS_PORT must be set where PORT is 65535'] : [];
    return this.givenPort === port && port !== 0 ? ['APPS_PORT must be another port than PORT'] : [];
  }
}
