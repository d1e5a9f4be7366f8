import type { BuiltOutput } from '../built-output.js';
import { ArtifactRefused } from '../hosting.errors.js';
import { Routes } from '../site/routes.js';
import { directoryOf } from './file-paths.js';

const PREFIX = /^\/(?:[^\s?#\\%]*)$/;
const MAX_MOUNTS = 64;

/**
 * Checks at ingest, instead of at the first request, that the output can be served.
 *
 * @throws {ArtifactRefused} `output_invalid`, `routing_invalid`
 */
export async function requireServable(built: BuiltOutput): Promise<void> {
  if (built.static.length > MAX_MOUNTS)
    throw new ArtifactRefused('output_invalid', `Too many directories of static files: the limit is ${MAX_MOUNTS}.`);
  for (const { directory, prefix } of built.static) {
    if (directoryOf(directory) === undefined || !PREFIX.test(prefix))
      throw new ArtifactRefused('output_invalid', `The directory ${directory} cannot be served below ${prefix}.`);
  }
  if ((built.kind === 'server') !== (built.server !== null))
    throw new ArtifactRefused('output_invalid', 'The output names no way to start its server.');
  if (
    built.server !== null &&
    (built.server.command.length === 0 || directoryOf(built.server.directory) === undefined)
  ) {
    throw new ArtifactRefused('output_invalid', 'The output names no way to start its server.');
  }
  await Routes.of(built.routing, 'new');
}
