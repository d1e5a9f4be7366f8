import { Injectable } from '@nestjs/common';
import { Ids } from '../../platform/ids/ids.js';
import { JOB_ID } from '../../platform/ids/platform.ids.js';
import { BareRepositories } from './git/bare-repositories.js';
import { commitImportOf, type UploadedFile } from './git/uploaded-commit.js';
import { GitPrograms } from './git/git-programs.js';
import { GitSlots } from './pushes/git-slots.js';

export type { UploadedFile };

const BRANCH = 'main';
const STORE_TIMEOUT_MS = 30 * 60_000;
const COMMIT_TIMEOUT_MS = 120_000;
/** A mark and a hash for each blob. */
const MARK_BYTES = 60;
/** What git adds to the content of a pack, generously. */
const PACK_OVERHEAD_BYTES = 16 * 1_048_576;

/**
 * The content arrives in a directory beside the objects and is moved to them when it is complete, so that an aborted
 * import leaves nothing. Without the command `done` at the end of its input, git fails.
 */
const STORE = `
set -e
cd "$1"
find . -mindepth 1 -maxdepth 1 -type d -name 'incoming-*' -mmin +60 -exec rm -rf {} +
new=$(mktemp -d incoming-XXXXXX)
trap 'rm -rf "$new"' EXIT
mkdir "$new/info" "$new/pack"
GIT_OBJECT_DIRECTORY="$PWD/$new" git --git-dir=. fast-import --quiet --done --export-marks="$new/marks"
mkdir -p objects/pack
for pack in "$new"/pack/*.pack; do
  mv -f "$pack" objects/pack/
  mv -f "\${pack%.pack}.idx" objects/pack/
done
cat "$new/marks"
`;

const COMMIT = `
set -e
cd "$1"
git --git-dir=. fast-import --quiet --done >&2
git --git-dir=. rev-parse --verify "refs/heads/$2"
`;

/** A blob on its way into git: its size, and its content in pieces. */
export interface IncomingBlob {
  readonly bytes: number;
  readonly content: AsyncIterable<Buffer>;
}

/**
 * Keeps uploaded files in bare repositories of their own, so that a build fetches them like any other source. Like all
 * repositories they are written by git only, as its own user.
 */
@Injectable()
export class UploadedTrees {
  constructor(
    private readonly repositories: BareRepositories,
    private readonly programs: GitPrograms,
    private readonly slots: GitSlots,
    private readonly ids: Ids,
  ) {}

  /** Returns the path of the bare repository, to be read and never written. */
  pathOf(storeId: string): string {
    return this.repositories.pathOf(storeId);
  }

  /**
   * Stores all blobs or, if their source throws, none. Returns the hashes that git gives them, in their order.
   *
   * @throws {TooManyGitCalls} `concurrency_limit_exceeded`
   * @throws {ServiceUnavailable} `service_unavailable`
   */
  async store(
    { storeId, orgId }: { storeId: string; orgId: string },
    blobs: AsyncIterable<IncomingBlob>,
    { maxBlobs, maxBytes }: { maxBlobs: number; maxBytes: number },
  ): Promise<string[]> {
    const holder = this.ids.next(JOB_ID);
    await this.slots.take(orgId, holder);
    try {
      await this.repositories.create(storeId, BRANCH, undefined);
      const marks = await this.programs.run({
        script: STORE,
        args: [this.pathOf(storeId)],
        // A pack of any size stays a pack: one file for a thousand blobs.
        settings: { 'fastimport.unpackLimit': '0' },
        input: blobImportOf(blobs),
        timeoutMs: STORE_TIMEOUT_MS,
        fileBytes: 2 * maxBytes + PACK_OVERHEAD_BYTES,
        maxOutputBytes: MARK_BYTES * (maxBlobs + 1),
      });
      return hashesOf(marks.toString());
    } finally {
      await this.slots.release(orgId, holder);
    }
  }

  /**
   * Commits a tree of blobs that are stored, and returns the commit. The same files give the same commit, so that a
   * build of them can be reused.
   */
  async commit(storeId: string, name: string, files: readonly UploadedFile[]): Promise<string> {
    const output = await this.programs.run({
      script: COMMIT,
      args: [this.pathOf(storeId), name],
      input: commitImportOf(files, `refs/heads/${name}`),
      timeoutMs: COMMIT_TIMEOUT_MS,
      fileBytes: PACK_OVERHEAD_BYTES,
    });
    return output.toString().trim();
  }

  /** Removes a store completely. A missing one is not an error. */
  remove(storeId: string): Promise<void> {
    return this.repositories.remove(storeId);
  }
}

/** Writes the format of `git fast-import`. The size of a blob precedes its content. */
async function* blobImportOf(blobs: AsyncIterable<IncomingBlob>): AsyncGenerator<Buffer> {
  let mark = 0;
  for await (const { bytes, content } of blobs) {
    yield Buffer.from(`blob\nmark :${++mark}\ndata ${bytes}\n`);
    yield* content;
    yield Buffer.from('\n');
  }
  yield Buffer.from('done\n');
}

function hashesOf(marks: string): string[] {
  const hashes: string[] = [];
  for (const [, mark, hash] of marks.matchAll(/^:(\d+) ([0-9a-f]{40})$/gm)) hashes[Number(mark) - 1] = hash!;
  return hashes;
}
