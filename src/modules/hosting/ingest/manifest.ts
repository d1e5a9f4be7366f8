import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Routing, ServerCommand, StaticMount } from '../built-output.js';
import type { BlobStorage } from '../../../platform/blobs/blob-storage.js';
import { keyOf } from '../store/content-keys.js';

/** A file of a deploy. */
export interface ManifestFile {
  readonly sha256: string;
  readonly bytes: number;
  readonly executable?: true;
  /** The sizes of the compressed variants that were worth keeping. */
  readonly br?: number;
  readonly gzip?: number;
}

/** Everything that is needed to serve a deploy. It is stored as a blob and verified by its hash. */
export interface Manifest {
  readonly version: 1;
  readonly framework: string;
  readonly nodeVersion: string | null;
  readonly kind: 'static' | 'server';
  readonly server: ServerCommand | null;
  readonly static: readonly StaticMount[];
  readonly routing: Routing;
  readonly files: Readonly<Record<string, ManifestFile>>;
  /** The targets of links, by path. Manifests of deploys without links, and older ones, have none. */
  readonly links?: Readonly<Record<string, string>>;
}

/** Yields the hash of every blob that the deploy needs, except the manifest itself. */
export function* hashesOf(manifest: Manifest): Generator<string> {
  for (const file of Object.values(manifest.files)) yield file.sha256;
}

/** @throws {Error} when the manifest does not match its hash. */
export async function readManifest(store: BlobStorage, sha256: string): Promise<Manifest> {
  const content = await buffer(await store.get(keyOf(sha256)));
  if (createHash('sha256').update(content).digest('hex') !== sha256)
    throw new Error('A manifest has changed in the store.');
  return JSON.parse(content.toString()) as Manifest;
}
