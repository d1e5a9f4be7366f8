import type { Clock } from '../../../platform/time/clock.js';
import type { HostingSettings } from '../hosting.settings.js';
import type { BlobStorage } from './blob-storage.js';
import { FileBlobStorage } from './file-blob-storage.js';

/**
 * Opens the storage of `ARTIFACTS_URL`. The library for S3 takes 8 MB of each process, so it is only loaded on use.
 */
export async function openBlobStorage(
  { artifactsPlace: place, artifactsCredentials: credentials }: HostingSettings,
  clock: Clock,
): Promise<BlobStorage> {
  if (place.kind !== 's3') return new FileBlobStorage(place.directory, clock);
  const { S3BlobStorage } = await import('./s3-blob-storage.js');
  return new S3BlobStorage(place, credentials, clock);
}
