import type { Clock } from '../time/clock.js';
import type { BlobStorage } from './blob-storage.js';
import type { BlobCredentials, BlobsPlace } from './blobs-url.js';
import { FileBlobStorage } from './file-blob-storage.js';

/** Opens a storage. The library for S3 takes 8 MB of each process, so it is only loaded on use. */
export async function openBlobStorage(
  place: BlobsPlace,
  credentials: BlobCredentials,
  clock: Clock,
): Promise<BlobStorage> {
  if (place.kind !== 's3') return new FileBlobStorage(place.directory, clock);
  const { S3BlobStorage } = await import('./s3-blob-storage.js');
  return new S3BlobStorage(place, credentials, clock);
}
