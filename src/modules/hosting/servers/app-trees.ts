import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, link, lstat, mkdir, mkdtemp, readdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { HostingSettings } from '../hosting.settings.js';
import type { Manifest, ManifestFile } from '../ingest/manifest.js';
import { BlobStorage } from '../../../platform/blobs/blob-storage.js';
import { keyOf } from '../store/content-keys.js';
import { TreePaths } from '../tree-paths.js';
import { writablePlaces } from './writable-places.js';

const AT_ONCE = 8;
/** The version is part of the names of trees, because earlier releases wrote trees without all writable directories. */
const TREE_VERSION = 3;

/** The directory beside the trees that keeps files by content, for later trees. */
const KEPT = 'by-content';

/**
 * The files of deploys with a server on this machine. They are written once, verified by hash, and then only read.
 * Files that an earlier deploy has are hard-linked, because most of a server is its packages. Users of sandboxes can
 * traverse the directory, but each server sees only its own tree, read-only.
 */
@Injectable()
export class AppTrees {
  private readonly directory: string;
  private hosts: Promise<string> | undefined;
  private readonly making = new Map<string, Promise<string>>();
  private readonly names = new WeakMap<Manifest, string>();

  constructor(
    settings: HostingSettings,
    private readonly store: BlobStorage,
  ) {
    this.directory = settings.serversDirectory;
  }

  /** Writes the tree, unless it exists, and returns its path. */
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

  /** Returns a file that defines `localhost`, for servers that listen by name. */
  hostsFile(): Promise<string> {
    this.hosts ??= this.writeHosts();
    this.hosts.catch(() => {
      this.hosts = undefined;
    });
    return this.hosts;
  }

  /** Removes the trees of deploys for which `isServed` returns false. */
  async removeAllBut(isServed: (deployId: string) => Promise<boolean>): Promise<void> {
    for (const name of await readdir(this.directory).catch(() => [])) {
      const [deployId = ''] = name.split('.');
      if (/^[a-z0-9_]+$/.test(deployId) && !name.includes('.unfinished-') && !(await isServed(deployId)))
        await rm(join(this.directory, name), { recursive: true, force: true });
    }
    await this.removeUnlinked();
  }

  /** Removes the kept files that no tree uses. A tree that links one at the same time keeps its own link. */
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
    const unfinished = `${path}.${randomBytes(8).toString('hex')}`;
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
      await this.write(unfinished, manifest);
      for (const { path: place } of writablePlaces(manifest))
        await mkdir(join(unfinished, place), { recursive: true, mode: 0o755 });
      await chmod(unfinished, 0o755);
      // Another process may have written the same tree first.
      await rename(unfinished, path).catch(async (error: unknown) => {
        if (!(await isDirectory(path))) throw error;
      });
      return path;
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
  }

  /** The name depends on the content, because a second attempt of a deploy may have other files. */
  private nameOf(deployId: string, manifest: Manifest): string {
    let name = this.names.get(manifest);
    if (name === undefined) {
      const hash = createHash('sha256').update(`${TREE_VERSION}${JSON.stringify(manifest.files)}`);
      if (manifest.links !== undefined) hash.update(JSON.stringify(manifest.links));
      name = `${deployId.replace(/[^a-z0-9_]/g, '')}.${hash.digest('hex').slice(0, 16)}`;
      this.names.set(manifest, name);
    }
    return name;
  }

  /**
   * Links are created after everything else, and no path lies below one, so that nothing is ever written through a
   * link. The service never opens the tree again except to remove it, and only the server inside of the isolation
   * follows its links.
   */
  private async write(root: string, manifest: Manifest): Promise<void> {
    const [files, links] = [Object.entries(manifest.files), Object.entries(manifest.links ?? {})];
    requireSafe(files, links);
    const directories = new Set([...files, ...links].map(([path]) => dirname(path)));
    for (const directory of [...directories].sort())
      await mkdir(join(root, directory), { recursive: true, mode: 0o755 });
    const rest = [...files];
    const worker = async (): Promise<void> => {
      for (let next = rest.pop(); next !== undefined; next = rest.pop()) await this.putFile(root, ...next);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    for (const [path, target] of links) await symlink(target, join(root, path));
  }

  private async putFile(root: string, path: string, file: ManifestFile): Promise<void> {
    const target = join(root, path);
    const kept = join(this.directory, KEPT, file.executable === true ? `${file.sha256}.x` : file.sha256);
    if (await isLinked(kept, target, file.bytes)) return;
    await this.writeFile(target, file);
    // Linking fails when another process was faster, or when the file system allows no more links. The next tree then
    // writes the file again.
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

/** Checks the paths of a manifest again, because it comes from the store. */
function requireSafe(files: readonly [string, ManifestFile][], links: readonly [string, string][]): void {
  const paths = new TreePaths();
  const isSafe =
    files.every(([path]) => paths.addFile(path) === null) &&
    links.every(([path, target]) => paths.addLink(path, target) === null);
  if (!isSafe) throw new Error('A manifest holds a path that is none.');
}

/** A kept file with the wrong length was truncated by a crash of the machine, so it is written again. */
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
