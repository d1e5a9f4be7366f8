import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RepositoriesHome } from '../../modules/repositories/git/repositories-home.js';
import type { Config } from '../../platform/config/config.js';
import type { Log } from '../../platform/logging/log.js';
import { ask, pack, type Place, unpack } from './archives.js';

/**
 * What a repository consists of, in the order in which it is read while others push: where its branches lead to before
 * what lies there, and scattered objects before packs, as they go from there to here. What is half-written is left out.
 */
const REPOSITORY_PARTS = {
  'repositories-1-refs.tar': "find . ! -path './new-*' ! -path './*/objects/*' ! -name '*.lock' -print0",
  'repositories-2-objects.tar': "find . -path './*/objects/*' ! -path './new-*' ! -path './*/objects/pack/*' ! -path '*incoming-*' ! -name 'tmp_*' -print0",
  'repositories-3-packs.tar': "find . -path './*/objects/pack/*' ! -path './new-*' ! -path '*incoming-*' ! -name 'tmp_*' -print0",
} as const;
const ARTIFACTS = 'artifacts.tar';
const SECRETS = 'secrets';

/** What the service keeps in files. The caches of builds and what servers are unpacked to can be made again. */
export class StoredFiles {
  constructor(
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /** Into `directory`; the names of what was written there. */
  async save(directory: string): Promise<string[]> {
    const written: string[] = [];
    if (existsSync(join(this.config.dataDir, 'repositories'))) {
      for (const [archive, find] of Object.entries(REPOSITORY_PARTS)) {
        await pack(this.repositories, find, join(directory, archive));
        written.push(archive);
      }
    }
    if (this.artifacts !== undefined && existsSync(join(this.artifacts.directory, 'sha256'))) {
      await pack(this.artifacts, 'find ./sha256 -print0', join(directory, ARTIFACTS));
      written.push(ARTIFACTS);
    }
    return [...written, ...await this.copySecrets(join(this.config.dataDir, SECRETS), join(directory, SECRETS))];
  }

  /** @throws {Error} when there is anything in the way. */
  async requireNone(): Promise<void> {
    for (const directory of [join(this.config.dataDir, 'repositories'), join(this.config.dataDir, SECRETS), this.artifacts?.directory]) {
      if (directory !== undefined && existsSync(directory) && (await readdir(directory)).length > 0) throw new Error(`${directory} is not empty. Restore into a new DATA_DIR, so that nothing is lost.`);
    }
  }

  async load(directory: string): Promise<void> {
    const has = (name: string): boolean => existsSync(join(directory, name));
    await this.copySecrets(join(directory, SECRETS), join(this.config.dataDir, SECRETS));
    for (const archive of Object.keys(REPOSITORY_PARTS).filter(has)) await unpack(this.repositories, join(directory, archive));
    if (!has(ARTIFACTS)) return;
    if (this.artifacts === undefined) throw new Error('The backup holds the files of deploys, and ARTIFACTS_URL names a bucket. Restore without it first.');
    await mkdir(this.artifacts.directory, { recursive: true, mode: 0o700 });
    await unpack(this.artifacts, join(directory, ARTIFACTS));
  }

  /** Ids of repositories in which something that a branch leads to is missing. */
  async damagedRepositories(): Promise<string[]> {
    if (!existsSync(join(this.config.dataDir, 'repositories'))) return [];
    const output = await ask(this.repositories, 'for each in *.git; do [ ! -d "$each" ] || GIT_CONFIG_NOSYSTEM=1 git --git-dir="$each" fsck --connectivity-only --no-dangling --no-progress >/dev/null 2>&1 || echo "$each"; done');
    return output.split('\n').filter((line) => line !== '').map((name) => name.slice(0, -'.git'.length));
  }

  private get repositories(): Place {
    const home = new RepositoriesHome(this.config, this.log);
    return { directory: home.directory, account: home.account };
  }

  /** Undefined where they are in a bucket. */
  private get artifacts(): Place | undefined {
    const { place } = this.config.artifacts;
    return place.kind === 'file' ? { directory: place.directory, account: undefined } : undefined;
  }

  private async copySecrets(from: string, to: string): Promise<string[]> {
    if (!existsSync(from)) return [];
    await mkdir(to, { recursive: true, mode: 0o700 });
    const names = (await readdir(from)).filter((name) => /^[a-z-]+$/.test(name)).sort();
    for (const name of names) await copyFile(join(from, name), join(to, name));
    return names.map((name) => `${SECRETS}/${name}`);
  }
}
