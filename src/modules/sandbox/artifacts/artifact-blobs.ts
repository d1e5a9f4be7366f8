import { BlobStorage } from '../../../platform/blobs/blob-storage.js';

/** The storage of artifacts, which `SANDBOX_ARTIFACTS_URL` names. */
export abstract class ArtifactBlobs extends BlobStorage {}

/** The first characters of an id are those of a time, and the last ones spread. */
export const keyOfArtifact = (id: string): string => `artifacts/${id.slice(-2)}/${id}`;
