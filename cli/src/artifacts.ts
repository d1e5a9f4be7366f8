import { mkdir } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Run, Service } from '@service/client';
import { UsageError } from './failures.js';
import { WholeFile } from './storage/whole-file.js';
import { printable } from './terminal.js';

/** Saves the files of a run below a directory, whatever the service calls them. */
export async function saveArtifacts(
  { sandbox }: Service,
  { id, artifacts = [] }: Pick<Run, 'id' | 'artifacts'>,
  directory: string,
): Promise<void> {
  for (const artifact of artifacts) {
    const file = fileIn(directory, artifact.path);
    await mkdir(dirname(file), { recursive: true });
    const target = new WholeFile(file);
    try {
      const { body } = await sandbox.artifact(id, artifact.id);
      await target.write(Readable.fromWeb(body as ReadableStream), () => undefined);
      await target.keep();
    } finally {
      await target.discard();
    }
  }
}

function fileIn(directory: string, path: string): string {
  const file = resolve(directory, path);
  const inside = relative(resolve(directory), file);
  if (inside === '' || isAbsolute(inside) || inside.split(/[\\/]/).includes('..'))
    throw new UsageError(`The artifact ${printable(path)} would be outside of ${directory}.`);
  return join(directory, inside);
}
