import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { isBranchName } from '../../../platform/git/branch-name.js';
import { RepositoriesSettings } from '../repositories.settings.js';
import { type CommitFacts, readCommits } from '../domain/commit-facts.js';
import { type FirstCommit, importOf } from './first-commit.js';
import { GitPrograms } from './git-programs.js';
import { RepositoriesHome } from './repositories-home.js';

const TIMEOUT_MS = 60_000;
const TIDY_UP_TIMEOUT_MS = 600_000;
/** The number of branches of a repository that are read, by name. More can be pushed, but they trigger no events. */
const MAX_BRANCHES = 1_000;
/** What git writes besides the pushed data: indexes, and the new pack beside the old ones during compaction. */
const ROOM_TO_WORK = 4;

/**
 * Creates the repository beside its final place and renames it, so that it is never incomplete. A repository that
 * another process has created meanwhile stays.
 */
const CREATE = `
set -e
cd "$1"
if [ ! -d "$2.git" ]; then
  new=$(mktemp -d "new-$2-XXXXXX")
  chmod 755 "$new"
  git init --quiet --bare --template= --initial-branch="$3" "$new"
  if [ "$4" = filled ]; then git --git-dir="$new" fast-import --quiet; fi
  mv -T "$new" "$2.git" 2>/dev/null || { rm -rf "$new"; [ -d "$2.git" ]; }
fi
git --git-dir="$2.git" rev-parse --quiet --verify "refs/heads/$3" || :
`;

/**
 * The listing also removes what forcibly ended pushes have left. Pushers wait for it, so the size is measured at the
 * same time, and `find` starts only when there is something to look at.
 */
const LOOK = `
set -e
cd "$1"
for left in objects/*incoming-*; do
  [ ! -d "$left" ] || find objects -mindepth 1 -maxdepth 1 -type d -name '*incoming-*' -mmin +60 -exec rm -rf {} +
  break
done
exec 3>&1
size=$(
  du -sk . &
  git for-each-ref --count=${MAX_BRANCHES} --format='%(objectname) %(refname:strip=2)' refs/heads >&3
  wait $! || :
)
echo
echo "\${size%%[!0-9]*}"
`;

const TIDY_UP = `
set -e
cd "$1"
find objects -type f -name 'tmp_*' -mmin +1440 -delete
git gc --quiet --prune=1.day.ago
du -sk . | cut -f1
`;

/**
 * Writes hash, time and the first line of the message of the commits that it reads, cut to a length. Commits can be
 * made as large as a repository, so larger ones are left out before git reads them. A repository can also hold
 * replacements for its objects, which are ignored.
 */
const DESCRIBE = `
cd "$1"
export GIT_NO_REPLACE_OBJECTS=1
git cat-file --batch-check='%(objectname) %(objecttype) %(objectsize)' | while read -r name type size; do
  if [ "$type" = commit ] && [ "$size" -le 65536 ]; then echo "$name"; fi
done | git log --no-walk=unsorted --stdin --encoding=UTF-8 --format='%H %ct %s' | cut -b-1000
`;

/** Messages are read while a push waits for its answer. */
const DESCRIBE_TIMEOUT_MS = 5_000;

/** The current state of a repository. */
interface RepositoryState {
  /** The branches by name, with their commits. */
  readonly branches: ReadonlyMap<string, string>;
  /** False when there are more branches than are read. */
  readonly isWhole: boolean;
  readonly sizeBytes: number;
}

/** Manages the repositories on this machine, by id, through git and other programs that run as its user. */
@Injectable()
export class BareRepositories {
  constructor(
    private readonly home: RepositoriesHome,
    private readonly programs: GitPrograms,
    private readonly settings: RepositoriesSettings,
  ) {}

  pathOf(id: string): string {
    return join(this.home.directory, `${id}.git`);
  }

  /** Creates a repository if there is none. Returns the commit of its default branch; undefined while it has none. */
  async create(id: string, defaultBranch: string, first: FirstCommit | undefined): Promise<string | undefined> {
    const output = await this.programs.run({
      script: CREATE,
      args: [this.home.directory, id, defaultBranch, first === undefined ? 'empty' : 'filled'],
      ...(first === undefined ? {} : { input: importOf(first, defaultBranch) }),
      ...this.bounds(),
    });
    return output.toString().trim() || undefined;
  }

  /** Removes a repository completely. A missing repository is not an error. */
  async remove(id: string): Promise<void> {
    await this.programs.run({ script: 'rm -rf -- "$1"', args: [this.pathOf(id)], ...this.bounds(TIDY_UP_TIMEOUT_MS) });
  }

  async look(id: string): Promise<RepositoryState> {
    const output = await this.programs.run({
      script: LOOK,
      args: [this.pathOf(id)],
      maxOutputBytes: MAX_BRANCHES * 1_024,
      ...this.bounds(),
    });
    const [lines = '', size = '0'] = halves(output.toString());
    const branches = lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line): [string, string] => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]);
    return {
      branches: new Map(branches.filter(([name]) => isNameable(name))),
      isWhole: branches.length < MAX_BRANCHES,
      sizeBytes: bytesOf(size),
    };
  }

  /** Reads message and time of commits, at most as many as branches are read. Those of unusual size are left out. */
  async commits(id: string, commitShas: readonly string[]): Promise<CommitFacts[]> {
    const wanted = new Set(commitShas.slice(0, MAX_BRANCHES));
    const output = await this.programs.run({
      script: DESCRIBE,
      args: [this.pathOf(id)],
      input: [Buffer.from([...wanted].map((sha) => `${sha}\n`).join(''))],
      maxOutputBytes: (MAX_BRANCHES + 1) * 1_024,
      ...this.bounds(DESCRIBE_TIMEOUT_MS),
    });
    // Without any commit to read, git shows that of the default branch.
    return readCommits(output.toString()).filter(({ sha }) => wanted.has(sha));
  }

  /** Packs loose objects and deletes those that have been unreachable for a day. Returns the new size. */
  async tidyUp(id: string): Promise<number> {
    const output = await this.programs.run({
      script: TIDY_UP,
      args: [this.pathOf(id)],
      ...this.bounds(TIDY_UP_TIMEOUT_MS),
    });
    return bytesOf(output.toString());
  }

  /** Removes what interrupted creations have left. */
  async removeUnfinished(): Promise<void> {
    const script = 'find "$1" -mindepth 1 -maxdepth 1 -type d -name "new-*" -mmin +60 -exec rm -rf {} +';
    await this.programs.run({ script, args: [this.home.directory], ...this.bounds(TIDY_UP_TIMEOUT_MS) });
  }

  private bounds(timeoutMs = TIMEOUT_MS): { timeoutMs: number; fileBytes: number } {
    return { timeoutMs, fileBytes: this.settings.maxBytes * ROOM_TO_WORK };
  }
}

/** Splits the output into branches and size, which an empty line separates. Branch names have no line breaks. */
function halves(output: string): string[] {
  const end = output.lastIndexOf('\n', output.length - 2);
  return [output.slice(0, end), output.slice(end + 1)];
}

const bytesOf = (kibibytes: string): number => Number(kibibytes.trim()) * 1_024;

/** Git allows names that are not UTF-8, which nothing else here can represent. */
const isNameable = (branch: string): boolean => isBranchName(branch) && !branch.includes('\ufffd');
