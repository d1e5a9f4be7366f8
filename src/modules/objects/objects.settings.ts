import { join } from 'node:path';
import {
  BLOBS_URL_RULE,
  type BlobsAddress,
  type BlobsPlace,
  parseBlobsUrl,
  placeOf,
} from '../../platform/blobs/blobs-url.js';
import { isDomain } from '../../platform/config/hosts.js';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ParsedSetting } from '../../platform/config/setting.js';

/** A host name, and `:8443` or nothing. */
export interface StorageAddress {
  readonly domain: string;
  readonly port: string;
}

/** Parses `storage.example.com:8443`. Returns undefined for anything else. */
function parseStorageAddress(text: string): StorageAddress | undefined {
  const [, domain = '', port] = /^([a-z0-9.-]{1,180})(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (!isDomain(domain) || Number(port ?? 1) > 65_535) return undefined;
  return { domain, port: port === undefined ? '' : `:${Number(port)}` };
}

/** Object storage: its host names, and where the bytes are. */
export class ObjectsSettings extends ModuleSettings {
  @ParsedSetting({
    name: 'STORAGE_DOMAIN',
    summary:
      'Host name of object storage, with a port if it is not the usual one of the scheme of `PUBLIC_URL`. ' +
      'Each bucket has a host name below it, so that it needs a wildcard DNS record and certificate. ' +
      'The role `edge` answers there. Use a domain apart from the platform and from apps.',
    unset: '`storage.localhost`, with `PORT` plus 1',
    see: 'storage.md',
    example: 'storage.example.com',
    parse: parseStorageAddress,
    rule: 'must be a lower-case domain, and at most a port after it',
  })
  private readonly givenAddress?: StorageAddress;

  @ParsedSetting({
    name: 'OBJECTS_URL',
    summary:
      'Storage for objects in buckets: `file:` is a directory in `DATA_DIR`, `file:///path` another directory, and ' +
      '`s3://bucket/prefix?endpoint=https://…&region=…` a bucket, which is required for several machines.',
    unset: '`file:`',
    example: 'file:',
    see: 'storage.md',
    parse: parseBlobsUrl,
    rule: BLOBS_URL_RULE,
  })
  private readonly objectsAddress: BlobsAddress = { kind: 'file', directory: undefined };

  get address(): StorageAddress {
    return this.givenAddress ?? { domain: 'storage.localhost', port: `:${this.config.port + 1}` };
  }

  get domain(): string {
    return this.address.domain;
  }

  /** Where S3 clients connect, such as `https://storage.example.com`. */
  get endpoint(): string {
    return `${this.scheme}//${this.address.domain}${this.address.port}`;
  }

  /** The same through the API, for programs that cannot resolve the domain. */
  get apiEndpoint(): string {
    return `${this.config.publicUrl.replace(/\/$/, '')}/s3`;
  }

  /** The origin of the files of one bucket. */
  originOf(label: string): string {
    return `${this.scheme}//${label}.${this.address.domain}${this.address.port}`;
  }

  get objectsPlace(): BlobsPlace {
    return placeOf(this.objectsAddress, join(this.config.dataDir, 'objects'));
  }

  private get scheme(): string {
    return new URL(this.config.publicUrl).protocol;
  }
}
