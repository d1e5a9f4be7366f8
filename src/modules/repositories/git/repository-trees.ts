import { Injectable } from '@nestjs/common';
import { BareRepositories } from './bare-repositories.js';
import { GitPrograms } from './git-programs.js';

const TIMEOUT_MS = 20_000;
/** Programs that read write nothing but their output. */
const FILE_BYTES = 1_048_576;
const MAX_LISTING_BYTES = 1_048_576;
const MAX_LINE_BYTES = 500;
/** A repeated write follows soon after the first one. */
const LOOK_BACK_COMMITS = 200;

/** Replacements for objects, which a repository can hold, are ignored. */
const BEGIN = `
cd "$1"
export GIT_NO_REPLACE_OBJECTS=1
`;

const HEAD = `${BEGIN}
git rev-parse --quiet --verify --end-of-options "$2^{commit}" || :
`;

const ENTRIES = `${BEGIN}
commit=$2
shift 2
git --literal-pathspecs ls-tree -z -l -t --full-tree "$commit" -- "$@"
`;

/** The list is cut within a name, which the reader leaves out. */
const FILES = `${BEGIN}
commit=$2
shift 2
git --literal-pathspecs ls-tree -r -z --name-only --full-tree "$commit" -- "$@" | head -c ${MAX_LISTING_BYTES}
`;

const BLOBS = `${BEGIN}
git cat-file --batch
`;

/** Fixed text, because patterns can take forever. Programs that have enough end those before them. */
const SEARCH = `${BEGIN}
commit=$2 text=$3 case=$4 limit=$5
shift 5
git -c grep.threads=1 --literal-pathspecs grep -z -n -I --no-textconv $case -F -e "$text" "$commit" -- "$@" |
  cut -b-${MAX_LINE_BYTES + 1_200} | head -n "$limit"
`;

const KEYED = `${BEGIN}
git log --max-count=${LOOK_BACK_COMMITS} --format='%H %(trailers:key=Effect-Key,valueonly,separator=%x2C)' "$2" |
  cut -b-400 | grep -F -m 1 -e " $3" | cut -b-40
`;

export interface TreeEntry {
  readonly mode: string;
  readonly type: 'blob' | 'tree' | 'commit';
  readonly objectId: string;
  /** Null unless it is a file. */
  readonly size: number | null;
  readonly path: string;
}

export interface FoundLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Reads trees of the repositories on this machine. Nothing of them is ever opened but by git, as its own user. */
@Injectable()
export class RepositoryTrees {
  constructor(
    private readonly repositories: BareRepositories,
    private readonly programs: GitPrograms,
  ) {}

  /** Returns the commit of a branch, and undefined when there is none. */
  headOf(id: string, branch: string): Promise<string | undefined> {
    return this.commitOf(id, `refs/heads/${branch}`);
  }

  /** Returns the commit with this hash, and undefined when the repository has none. */
  async commitOf(id: string, name: string): Promise<string | undefined> {
    return (await this.run(HEAD, [this.repositories.pathOf(id), name])).toString().trim() || undefined;
  }

  /** Returns what the paths are, without those that do not exist. */
  async entriesOf(id: string, commit: string, paths: readonly string[]): Promise<TreeEntry[]> {
    const output = await this.run(ENTRIES, [this.repositories.pathOf(id), commit, ...paths]);
    return recordsOf(output).flatMap((record) => {
      const [, mode, type, objectId, size, path] = /^(\d+) (\w+) ([0-9a-f]{40}) +(\S+)\t([^]*)$/.exec(record) ?? [];
      if (path === undefined) return [];
      const bytes = size === '-' ? null : Number(size);
      return [{ mode: mode!, type: type as TreeEntry['type'], objectId: objectId!, size: bytes, path }];
    });
  }

  /** Returns paths below a directory; an empty one is the root. */
  async filesBelow(id: string, commit: string, directory: string): Promise<{ paths: string[]; isCut: boolean }> {
    const below = directory === '' ? [] : [directory];
    const output = await this.run(FILES, [this.repositories.pathOf(id), commit, ...below]);
    const isCut = output.length >= MAX_LISTING_BYTES;
    return { paths: recordsOf(isCut ? output.subarray(0, output.lastIndexOf(0) + 1) : output), isCut };
  }

  /** Returns the content of files, in the order of their hashes. */
  async blobsOf(id: string, entries: readonly TreeEntry[]): Promise<Buffer[]> {
    if (entries.length === 0) return [];
    const bytes = entries.reduce((sum, { size }) => sum + (size ?? 0) + 100, 0);
    const input = [Buffer.from(entries.map(({ objectId }) => `${objectId}\n`).join(''))];
    const output = await this.run(BLOBS, [this.repositories.pathOf(id)], { input, maxOutputBytes: bytes });
    const blobs: Buffer[] = [];
    for (let at = 0; at < output.length;) {
      const end = output.indexOf('\n', at);
      const size = Number(/^[0-9a-f]{40} blob (\d+)$/.exec(output.subarray(at, end).toString())?.[1]);
      if (!Number.isSafeInteger(size)) throw new Error('git returned something else than the files asked for.');
      blobs.push(output.subarray(end + 1, end + 1 + size));
      at = end + 2 + size;
    }
    return blobs;
  }

  /** Finds lines with a text, of files below a directory. */
  async linesWith(
    id: string,
    commit: string,
    { text, directory, ignoresCase, limit }: { text: string; directory: string; ignoresCase: boolean; limit: number },
  ): Promise<FoundLine[]> {
    const args = [text, ignoresCase ? '-i' : '', String(limit), ...(directory === '' ? [] : [directory])];
    const output = await this.run(SEARCH, [this.repositories.pathOf(id), commit, ...args]);
    const lines = output.toString().split('\n').slice(0, -1);
    return lines.flatMap((line) => {
      const [path = '', number = '', found] = line.split('\0');
      if (found === undefined) return [];
      return [{ path: path.slice(commit.length + 1), line: Number(number), text: found.slice(0, MAX_LINE_BYTES) }];
    });
  }

  /** Returns the newest commit of the recent history that names the key, if there is one. */
  async commitWithKey(id: string, head: string, effectKey: string): Promise<string | undefined> {
    return (await this.run(KEYED, [this.repositories.pathOf(id), head, effectKey])).toString().trim() || undefined;
  }

  private run(
    script: string,
    args: readonly string[],
    more: { input?: Iterable<Buffer>; maxOutputBytes?: number } = {},
  ): Promise<Buffer> {
    return this.programs.run({
      script,
      args,
      timeoutMs: TIMEOUT_MS,
      fileBytes: FILE_BYTES,
      maxOutputBytes: 2 * MAX_LISTING_BYTES,
      ...more,
    });
  }
}

const recordsOf = (output: Buffer): string[] => output.toString().split('\0').slice(0, -1);
