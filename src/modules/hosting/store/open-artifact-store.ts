import type { Clock } from '../../../platform/time/clock.js';
import type { HostingSettings } from '../hosting.settings.js';
import type { ArtifactStore } from './artifact-store.js';
import { FileArtifactStore } from './file-artifact-store.js';

/**
 * The store that `ARTIFACTS_URL` names. The library for S3 takes 8 MB of each process, and is loaded where it is used.
 */
export async function openArtifactStore(
  { artifactsPlace: place, artifactsCredentials: credentials }: HostingSettings,
  clock: Clock,
): Promise<ArtifactStore> {
  if (place.kind !== 's3') return new FileArtifactStore(place.directory, clock);
  const { S3ArtifactStore } = await import('./s3-artifact-store.js');
  return new S3ArtifactStore(place, credentials, clock);
}
