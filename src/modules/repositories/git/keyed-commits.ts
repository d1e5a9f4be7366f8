import { Injectable } from '@nestjs/common';
import { RepositoriesSettings } from '../repositories.settings.js';
import { BareRepositories } from './bare-repositories.js';
import { GitPrograms } from './git-programs.js';

const TIMEOUT_MS = 60_000;

/**
 * Git adds the commit only if the branch still is where it was, and says nothing else that a script could tell from a
 * fault. What it writes about a failure would stay in the repository.
 */
const COMMIT = `
cd "$1"
git --git-dir=. fast-import --quiet --done || echo refused
rm -f fast_import_crash_*
`;

/** A file as a commit leaves it. */
export interface ChangedFile {
  readonly path: string;
  /** Null deletes the file. */
  readonly content: Buffer | null;
  readonly executable: boolean;
}

export interface KeyedCommit {
  readonly branch: string;
  /** The commit before; null for the first one of the repository. */
  readonly parent: string | null;
  readonly message: string;
  readonly author: string;
  readonly at: Date;
  readonly effectKey?: string | undefined;
  readonly files: readonly ChangedFile[];
}

/** Writes commits that name the key of their effect, so that it is seen whether one was written. */
@Injectable()
export class KeyedCommits {
  constructor(
    private readonly repositories: BareRepositories,
    private readonly programs: GitPrograms,
    private readonly settings: RepositoriesSettings,
  ) {}

  /** Returns the commit, or undefined when the branch has moved away from the parent. */
  async add(id: string, commit: KeyedCommit): Promise<string | undefined> {
    const output = await this.programs.run({
      script: COMMIT,
      args: [this.repositories.pathOf(id)],
      input: importOf(commit),
      timeoutMs: TIMEOUT_MS,
      fileBytes: this.settings.maxBytes,
    });
    const [sha = '', refused] = output.toString().trim().split('\n');
    return refused === undefined && /^[0-9a-f]{40}$/.test(sha) ? sha : undefined;
  }
}

/** The format of `git fast-import`. Without `from`, the commit has no parent, and the branch must not exist. */
function* importOf({ branch, parent, message, author, at, effectKey, files }: KeyedCommit): Generator<Buffer> {
  const who = `${author.replace(/[^\w .-]/g, '')} <no-reply@localhost> ${Math.floor(at.getTime() / 1_000)} +0000`;
  yield Buffer.from(`commit refs/heads/${branch}\nmark :1\nauthor ${who}\ncommitter ${who}\n`);
  const trailer = effectKey === undefined ? '' : `\nEffect-Key: ${effectKey}\n`;
  yield dataOf(Buffer.from(`${message.trim()}\n${trailer}`));
  if (parent !== null) yield Buffer.from(`from ${parent}\n`);
  for (const { path, content, executable } of files) {
    if (content === null) {
      yield Buffer.from(`D ${quoted(path)}\n`);
      continue;
    }
    yield Buffer.from(`M ${executable ? '100755' : '100644'} inline ${quoted(path)}\n`);
    yield dataOf(content);
  }
  yield Buffer.from('\nget-mark :1\ndone\n');
}

const dataOf = (content: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`data ${content.length}\n`), content, Buffer.from('\n')]);

/** Within quotes, git takes all bytes as they are but these two. */
const quoted = (path: string): string => `"${path.replace(/["\\]/g, '\\$&')}"`;
