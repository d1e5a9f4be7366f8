import { trimEnd, trimStart } from '../text/trim.js';

/** The place of a storage of blobs. */
export type BlobsPlace = FilePlace<string> | BucketPlace;

/** The same as a setting says it; undefined for the directory that lies in the data directory. */
export type BlobsAddress = FilePlace<string | undefined> | BucketPlace;

/** Credentials for S3. Without them, the AWS SDK uses the credentials of the machine. */
export type BlobCredentials =
  | { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken: string | undefined }
  | undefined;

interface FilePlace<Directory> {
  readonly kind: 'file';
  readonly directory: Directory;
}

interface BucketPlace {
  readonly kind: 's3';
  readonly bucket: string;
  readonly prefix: string;
  readonly endpoint: string | undefined;
  readonly region: string;
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const DEFAULT_REGION = 'us-east-1';

/**
 * Parses `file:`, `file:///srv/blobs` or `s3://bucket/prefix?endpoint=http://minio:9000&region=eu-central-1`.
 * Returns undefined for anything else.
 */
export function parseBlobsUrl(text: string): BlobsAddress | undefined {
  if (text === 'file:') return { kind: 'file', directory: undefined };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  if (url.protocol === 'file:') {
    return url.host === '' && url.pathname.length > 1 && url.search === ''
      ? { kind: 'file', directory: decodeURIComponent(url.pathname) }
      : undefined;
  }
  if (
    url.protocol !== 's3:' ||
    !BUCKET.test(url.host) ||
    [...url.searchParams.keys()].some((name) => name !== 'endpoint' && name !== 'region')
  )
    return undefined;
  const endpoint = url.searchParams.get('endpoint') ?? undefined;
  if (endpoint !== undefined && !/^https?:\/\/[^/]/.test(endpoint)) return undefined;
  const prefix = trimEnd(trimStart(decodeURIComponent(url.pathname), '/'), '/');
  return {
    kind: 's3',
    bucket: url.host,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint,
    region: url.searchParams.get('region') ?? DEFAULT_REGION,
  };
}

/** What the rule of a setting that {@link parseBlobsUrl} parses says. */
export const BLOBS_URL_RULE = 'must be file:, file:///path or s3://bucket/prefix?endpoint=https://…&region=…';

/** Returns the place that an address names; `directory` is that of `file:`. */
export const placeOf = (address: BlobsAddress, directory: string): BlobsPlace =>
  address.kind === 's3' ? address : { kind: 'file', directory: address.directory ?? directory };
