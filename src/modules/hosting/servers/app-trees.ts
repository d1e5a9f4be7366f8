import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, link, lstat, mkdir, mkdtemp, readdir, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { HostingSettings } from '../hosting.settings.js';
import { isFilePath } from '../ingest/file-paths.js';
import type { Manifest, ManifestFile } from '../ingest/manifest.js';
import { ArtifactStore, keyOf } from '../store/artifact-store.js';

const AT_ONCE = 8;
/** Beside the trees: files by what they hold, for trees to come. */
const KEPT = 'by-content';

/**
 * The files of deploys that have a server, on this machine: written once, checked by their hashes, and only ever read
 * after that. What an earlier deploy has is not written again: the tree has another link to it, and most of a server is
 * its packages. Their directory is one that sandboxes' users can walk; what runs sees its own tree, read-only.
 */
@Injectable()
export class AppTrees {
  private readonly directory: string;
  private hosts: Promise<string> | undefined;
  private readonly making = new Map<string, Promise<string>>();
  private readonly names = new WeakMap<Manifest, string>();

  constructor(
    settings: HostingSettings,
    private readonly store: ArtifactStore,
  ) {
    this.directory = settings.serversDirectory;
  }

  /** The path of the tree. */
  of(deployId: string, manifest: Manifest): Promise<string> {
    let making = this.making.get(deployId);
    if (making === undefined) {
      making = this.make(deployId, manifest).finally(() => {
        this.making.delete(deployId);
      });
      this.making.set(deployId, making);
    }
    return making;
  }

  /** What `localhost` is, for servers that listen by name. */
  hostsFile(): Promise<string> {
    this.hosts ??= this.writeHosts();
    this.hosts.catch(() => {
      this.hosts = undefined;
    });
    return this.hosts;
  }

  /** Removes the trees of deploys that cannot be served any more; `isServed` is asked for each. */
  async removeAllBut(isServed: (deployId: string) => Promise<boolean>): Promise<void> {
    for (const name of await readdir(this.directory).catch(() => [])) {
      const [deployId = ''] = name.split('.');
      if (/^[a-z0-9_]+$/.test(deployId) && !name.includes('.unfinished-') && !(await isServed(deployId)))
        await rm(join(this.directory, name), { recursive: true, force: true });
    }
    await this.removeUnlinked();
  }

  /** What is in no tree any more. Whoever links it just then has it all the same. */
  private async removeUnlinked(): Promise<void> {
    const directory = join(this.directory, KEPT);
    for (const name of await readdir(directory).catch(() => [])) {
      const path = join(directory, name);
      const found = await lstat(path).catch(() => undefined);
      if (found?.nlink === 1) await rm(path, { force: true });
    }
  }

  private async writeHosts(): Promise<string> {
    await mkdir(this.directory, { recursive: true, mode: 0o755 });
    const path = join(this.directory, 'etc-hosts');
    const unfinished = `${path}.${process.pid}`;
    await writeFile(unfinished, '127.0.0.1 localhost\n::1 localhost\n');
    await chmod(unfinished, 0o644);
    await rename(unfinished, path);
    return path;
  }

  private async make(deployId: string, manifest: Manifest): Promise<string> {
    const path = join(this.directory, this.nameOf(deployId, manifest));
    if (await isDirectory(path)) return path;
    await mkdir(join(this.directory, KEPT), { recursive: true, mode: 0o755 });
    const unfinished = await mkdtemp(`${path}.unfinished-`);
    try {
      await this.write(unfinished, Object.entries(manifest.files));
      await chmod(unfinished, 0o755);
      // Somebody else may have been faster; theirs is the same.
      await rename(unfinished, path).catch(async (error: unknown) => {
        if (!(await isDirectory(path))) throw error;
      });
      return path;
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
  }

  /** Of what it holds: a second attempt of a deploy may hold something else. */
  private nameOf(deployId: string, manifest: Manifest): string {
    let name = this.names.get(manifest);
    if (name === undefined) {
      name = `${deployId.replace(/[^a-z0-9_]/g, '')}.${createHash('sha256').update(JSON.stringify(manifest.files)).digest('hex').slice(0, 16)}`;
      this.names.set(manifest, name);
    }
    return name;
  }

  private async write(root: string, files: [string, ManifestFile][]): Promise<void> {
    const directories = new Set(files.map(([path]) => dirname(path)));
    for (const directory of [...directories].sort())
      await mkdir(join(root, directory), { recursive: true, mode: 0o755 });
    const rest = [...files];
    const worker = async (): Promise<void> => {
      for (let next = rest.pop(); next !== undefined; next = rest.pop()) await this.putFile(root, ...next);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }

  private async putFile(root: string, path: string, file: ManifestFile): Promise<void> {
    if (!isFilePath(path)) throw new Error('A manifest holds a path that is none.');
    const target = join(root, path);
    const kept = join(this.directory, KEPT, file.executable === true ? `${file.sha256}.x` : file.sha256);
    if (await isLinked(kept, target, file.bytes)) return;
    await this.writeFile(target, file);
    // Somebody else may have been faster, or this file system has no links, or no more of them: then it is written
    // again.
    await link(target, kept).catch(() => undefined);
  }

  private async writeFile(target: string, { sha256, executable }: ManifestFile): Promise<void> {
    const hash = createHash('sha256');
    await pipeline(
      await this.store.get(keyOf(sha256)),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          yield chunk;
        }
      },
      createWriteStream(target, { flags: 'wx', mode: 0o600 }),
    );
    if (hash.digest('hex') !== sha256) throw new Error('A blob has changed in the store.');
    await chmod(target, executable === true ? 0o555 : 0o444);
  }
}

/** One whose length is another was cut short by the end of the machine; it is written anew. */
async function isLinked(kept: string, target: string, bytes: number): Promise<boolean> {
  try {
    await link(kept, target);
  } catch {
    return false;
  }
  if ((await lstat(target)).size === bytes) return true;
  await unlink(target);
  await rm(kept, { force: true });
  return false;
}

async function isDirectory(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
