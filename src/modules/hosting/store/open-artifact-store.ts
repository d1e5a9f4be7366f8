import type { Config } from '../../../platform/config/config.js';
import type { Clock } from '../../../platform/time/clock.js';
import type { ArtifactStore } from './artifact-store.js';
import { FileArtifactStore } from './file-artifact-store.js';
import { S3ArtifactStore } from './s3-artifact-store.js';

/** The store that `ARTIFACTS_URL` names. */
export function openArtifactStore({ artifacts: { place, credentials } }: Pick<Config, 'artifacts'>, clock: Clock): ArtifactStore {
  return place.kind === 's3' ? new S3ArtifactStore(place, credentials, clock) : new FileArtifactStore(place.directory, clock);
}
