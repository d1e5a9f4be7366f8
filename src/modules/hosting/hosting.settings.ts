import { createHash } from 'node:crypto';
import { join } from 'node:path';
import {
  BLOBS_URL_RULE,
  type BlobsAddress,
  type BlobsPlace,
  parseBlobsUrl,
  placeOf,
} from '../../platform/blobs/blobs-url.js';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ChoiceSetting, IntegerSetting, ParsedSetting, UrlSetting } from '../../platform/config/setting.js';
import { type AppsUrl, parseAppsUrl } from './settings/apps-url.js';
import { type NamedDestination, parseAddresses, parseDestinations, parseNameServers } from './settings/destinations.js';

/** The addresses of deploys and the storage of their files. */
export class HostingSettings extends ModuleSettings {
  @IntegerSetting({
    name: 'APPS_PORT',
    summary: 'Port for the hosts of deploys, in the role `edge`. `0` selects a free one.',
    unset: '`PORT` plus 1',
    example: '3001',
    min: 0,
    max: 65_535,
  })
  private readonly givenPort?: number;

  @ParsedSetting({
    name: 'APPS_URL',
    summary:
      'Public address of deploys: each has a host name below this host. Browsers resolve ' +
      '`*.localhost` to this machine. Elsewhere, use a separate domain with a wildcard DNS record and certificate, ' +
      'so that apps do not share cookies with your other sites.',
    unset: '`http://localhost:<APPS_PORT>`',
    see: 'hosting.md',
    example: 'http://localhost:3001',
    parse: parseAppsUrl,
    rule: 'must be http:// or https://, a lower-case domain, and at most a port after it',
  })
  private readonly givenUrl?: AppsUrl;

  @IntegerSetting({
    name: 'APP_FREEZE_AFTER_MS',
    summary: 'Time without requests after which the server of a deploy is frozen. The next request wakes it.',
    unit: 'ms',
    min: 100,
    max: 86_400_000,
  })
  readonly freezeAfterMs: number = 60_000;

  @IntegerSetting({
    name: 'APP_STOP_AFTER_MS',
    summary: 'Time without requests after which the server of a deploy is stopped. The next request starts it.',
    unit: 'ms',
    min: 100,
    max: 86_400_000,
  })
  readonly stopAfterMs: number = 600_000;

  @ChoiceSetting({
    name: 'APPS_NETWORK',
    summary:
      'Network of app servers. With `auto` they reach what their plan allows if slirp4netns and nftables are ' +
      'installed, else nothing; with `required` they do not start without these; with `off` they reach nothing.',
    see: 'hosting.md#network',
    values: ['auto', 'off', 'required'],
  })
  readonly appsNetwork: 'auto' | 'off' | 'required' = 'auto';

  @ParsedSetting({
    name: 'APPS_NETWORK_FREE_HOSTS',
    summary:
      'Hosts that app servers of the plan Free may connect to, beside this service: names, IPv4 addresses or ranges, ' +
      'each with an optional port. Other sites at the same addresses are reachable too.',
    see: 'hosting.md#network',
    example: 'api.example.com:443,203.0.113.0/24',
    parse: parseDestinations,
    rule: 'must be a list of <host>, <address> or <range>, each with an optional :<port>, with commas between',
  })
  readonly appsNetworkFreeHosts: readonly NamedDestination[] = [];

  @ParsedSetting({
    name: 'APPS_NETWORK_ALLOWED',
    summary:
      'Hosts that every app server may connect to, even inside your network or on this machine: names, IPv4 ' +
      'addresses or ranges, each with an optional port. Loopback addresses cannot be allowed.',
    see: 'hosting.md#network',
    example: '10.0.0.5:5432',
    parse: parseDestinations,
    rule: 'must be a list of <host>, <address> or <range>, each with an optional :<port>, with commas between',
  })
  readonly appsNetworkAllowed: readonly NamedDestination[] = [];

  @ParsedSetting({
    name: 'APPS_NETWORK_REFUSED',
    summary:
      'Public IPv4 addresses and ranges that no app server may connect to, such as those of your own offices. ' +
      'The addresses of this machine are always refused.',
    see: 'hosting.md#network',
    example: '203.0.113.0/24',
    parse: parseAddresses,
    rule: 'must be a list of IPv4 addresses or ranges, with commas between',
  })
  readonly appsNetworkRefused: readonly string[] = [];

  @ParsedSetting({
    name: 'APPS_NETWORK_NAME_SERVERS',
    summary:
      'Name servers that are asked for the names that app servers look up, as IPv4 addresses with optional ports.',
    unset: 'those of this machine are asked',
    see: 'hosting.md#network',
    example: '10.0.0.53,10.0.1.53',
    parse: parseNameServers,
    rule: 'must be a list of <address> or <address>:<port>, with commas between',
  })
  readonly appsNetworkNameServers?: readonly string[];

  @UrlSetting({
    name: 'APPS_API_URL',
    summary: 'Where app servers with a key for models find the API, as the machines of the role `edge` reach it.',
    unset: '`PUBLIC_URL`',
    see: 'ai.md',
    example: 'http://10.0.0.7:3000',
  })
  private readonly givenApiUrl?: string;

  @ParsedSetting({
    name: 'ARTIFACTS_URL',
    summary:
      'Storage for the files of deploys: `file:` is a directory in `DATA_DIR`, `file:///path` another directory, and ' +
      '`s3://bucket/prefix?endpoint=https://…&region=…` a bucket, which is required for several machines.',
    unset: '`file:`',
    example: 'file:',
    parse: parseBlobsUrl,
    rule: BLOBS_URL_RULE,
  })
  private readonly artifactsAddress: BlobsAddress = { kind: 'file', directory: undefined };

  /** The port that the role `edge` listens on. */
  get listenPort(): number {
    const { port } = this.config;
    return this.givenPort ?? (port === 0 ? 0 : port + 1);
  }

  /** The API, as the machine of an app server reaches it. */
  get apiUrl(): URL {
    return new URL(this.givenApiUrl ?? this.config.publicUrl);
  }

  /** This service, as apps reach it. */
  get ownDestination(): NamedDestination | undefined {
    const { hostname, port, protocol } = new URL(this.config.publicUrl);
    return parseDestinations(`${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`)?.[0];
  }

  /** A deploy is reached at `<scheme>//<label>.<domain><port>`. */
  get appsUrl(): AppsUrl {
    return this.givenUrl ?? parseAppsUrl(`http://localhost:${this.listenPort}`)!;
  }

  /**
   * The directory that servers of deploys are unpacked to. It differs for each service on a machine, because a service
   * removes the files of deploys that it does not know.
   */
  get serversDirectory(): string {
    const place = createHash('sha256').update(this.config.dataDir).digest('hex').slice(0, 12);
    return join(this.config.isolatedHome, 'apps', place);
  }

  get artifactsPlace(): BlobsPlace {
    return placeOf(this.artifactsAddress, join(this.config.dataDir, 'artifacts'));
  }

  override faults(environment: NodeJS.ProcessEnv): readonly string[] {
    return [
      // After an upgrade, a setting must not silently lose its effect.
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
