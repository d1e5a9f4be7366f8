import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Injectable } from '@nestjs/common';
import { PROJECT_ROOT } from '../../../platform/version.js';
import type { CommittedFile } from '../git/first-commit.js';
import type { TemplateName } from '../domain/template-name.js';

const EXECUTABLE_BY_OWNER = 0o100;

/** Build results that developers leave in a template directory. */
const NOT_OF_IT = new Set(['node_modules', '.next', '.expo', 'dist', 'out', '.git', 'next-env.d.ts', 'expo-env.d.ts']);

/** Reads the files of the templates in `templates/`. */
@Injectable()
export class TemplateCatalog {
  private readonly read = new Map<TemplateName, Promise<readonly CommittedFile[]>>();

  filesOf(name: TemplateName): Promise<readonly CommittedFile[]> {
    let files = this.read.get(name);
    if (files === undefined) {
      files = filesBelow(join(PROJECT_ROOT, 'templates', name));
      this.read.set(name, files);
      files.catch(() => this.read.delete(name));
    }
    return files;
  }
}

async function filesBelow(root: string, directory = root): Promise<CommittedFile[]> {
  const entries = (await readdir(directory, { withFileTypes: true }))
    .filter(({ name }) => !NOT_OF_IT.has(name))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const files = await Promise.all(
    entries.map(async (entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return filesBelow(root, path);
      const [content, { mode }] = await Promise.all([readFile(path), stat(path)]);
      return [
        { path: relative(root, path).split(sep).join('/'), content, executable: (mode & EXECUTABLE_BY_OWNER) !== 0 },
      ];
    }),
  );
  return files.flat();
}
