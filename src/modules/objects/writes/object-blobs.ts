import { BlobStorage } from '../../../platform/blobs/blob-storage.js';

/** The storage for the bytes of objects. */
export abstract class ObjectBlobs extends BlobStorage {}
