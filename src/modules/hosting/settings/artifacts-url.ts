import { trimEnd, trimStart } from '../../../platform/text/trim.js';

/** The place of the files of deploys. */
export type ArtifactsPlace = FilePlace<string> | BucketPlace;

/** The same as `ARTIFACTS_URL` says it; undefined for the directory that lies in the data directory. */
export type ArtifactsAddress = FilePlace<string | undefined> | BucketPlace;

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
 * Parses `file:`, `file:///srv/artifacts` or `s3://bucket/prefix?endpoint=http://minio:9000&region=eu-central-1`.
 * Returns undefined for anything else.
 */
export function parseArtifactsUrl(text: string): ArtifactsAddress | undefined {
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
