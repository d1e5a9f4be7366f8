import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Routing, ServerCommand, StaticMount } from '../built-output.js';
import { type ArtifactStore, keyOf } from '../store/artifact-store.js';

/** A file of a deploy. */
export interface ManifestFile {
  readonly sha256: string;
  readonly bytes: number;
  readonly executable?: true;
  /** Sizes of the variants that were worth keeping. */
  readonly br?: number;
  readonly gzip?: number;
}

/**
 * All that there is to know of a deploy to serve it; kept as a blob, so that it is checked by its hash like any other.
 */
export interface Manifest {
  readonly version: 1;
  readonly framework: string;
  readonly nodeVersion: string | null;
  readonly kind: 'static' | 'server';
  readonly server: ServerCommand | null;
  readonly static: readonly StaticMount[];
  readonly routing: Routing;
  readonly files: Readonly<Record<string, ManifestFile>>;
}

/** Every key of the store that the deploy needs, its manifest's own left out. */
export function* hashesOf(manifest: Manifest): Generator<string> {
  for (const file of Object.values(manifest.files)) yield file.sha256;
}

/** @throws {Error} when it is not what it was when it was stored. */
export async function readManifest(store: ArtifactStore, sha256: string): Promise<Manifest> {
  const content = await buffer(await store.get(keyOf(sha256)));
  if (createHash('sha256').update(content).digest('hex') !== sha256)
    throw new Error('A manifest has changed in the store.');
  return JSON.parse(content.toString()) as Manifest;
}
