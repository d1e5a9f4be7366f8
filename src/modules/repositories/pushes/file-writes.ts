import { Injectable } from '@nestjs/common';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { isBranchName } from '../../../platform/git/branch-name.js';
import { Ids } from '../../../platform/ids/ids.js';
import { JOB_ID } from '../../../platform/ids/platform.ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { areSeparatePaths, isTreePath } from '../domain/tree-path.js';
import { Directories } from '../git/directories.js';
import { type ChangedFile, KeyedCommits } from '../git/keyed-commits.js';
import { RepositoryTrees } from '../git/repository-trees.js';
import type { Repository } from '../persistence/repository.entity.js';
import { BranchMoved } from '../repositories.errors.js';
import { GitSlots } from './git-slots.js';
import { PushLifecycle } from './push-lifecycle.js';

const MAX_FILES = 100;
const MAX_FILE_BYTES = 1_048_576;
const MAX_BYTES = 4 * MAX_FILE_BYTES;
const MAX_MESSAGE_LENGTH = 8_000;
const COMMIT_HASH = /^[0-9a-f]{40}$/;

export interface WriteFilesInput {
  /** Begins at the expected head if it does not exist. */
  readonly branch: string;
  readonly message: string;
  /** Null deletes a file. */
  readonly files: readonly { readonly path: string; readonly content: string | null }[];
  /** The commit that the branch must be at. Null for the first commit of a repository. */
  readonly expectedHead: string | null;
  /** A branch whose recent history has it stays as it is. Without one, each call adds a commit. */
  readonly effectKey?: string;
}

/** Writes commits without a client of git, and reports them like pushes. */
@Injectable()
export class FileWrites {
  constructor(
    private readonly directories: Directories,
    private readonly trees: RepositoryTrees,
    private readonly commits: KeyedCommits,
    private readonly pushes: PushLifecycle,
    private readonly slots: GitSlots,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /** Returns the commit, which may be that of an earlier call with the same key. */
  async write(
    repository: Repository,
    author: { readonly id: string; readonly username: string },
    input: WriteFilesInput,
  ): Promise<string> {
    requireValid(input);
    this.pushes.requireRoom(repository);
    const holder = this.ids.next(JOB_ID);
    await this.slots.take(repository.orgId, holder);
    try {
      await this.directories.ensure(repository);
      await this.pushes.begin(repository, author.id, { id: holder, announcedBytes: bytesOf(input) });
      try {
        return await this.add(repository.id, author.username, input);
      } finally {
        // It also reports the commit of an earlier call that ended before it could.
        await this.pushes.finish(repository, author.id, holder);
      }
    } finally {
      await this.slots.release(repository.orgId, holder);
    }
  }

  /** Refuses what {@link write} would refuse, and writes nothing. */
  async check(repository: Repository, input: WriteFilesInput): Promise<void> {
    requireValid(input);
    this.pushes.requireRoom(repository);
    const holder = this.ids.next(JOB_ID);
    await this.slots.take(repository.orgId, holder);
    try {
      await this.directories.ensure(repository);
      await this.planned(repository.id, input, await this.trees.headOf(repository.id, input.branch));
    } finally {
      await this.slots.release(repository.orgId, holder);
    }
  }

  private async add(id: string, author: string, input: WriteFilesInput): Promise<string> {
    const { branch, effectKey, message } = input;
    const head = await this.trees.headOf(id, branch);
    const written =
      head === undefined || effectKey === undefined ? undefined : await this.trees.commitWithKey(id, head, effectKey);
    if (written !== undefined) return written;
    const { parent, files } = await this.planned(id, input, head);
    const commit = { branch, parent, message, author, at: this.clock.now(), effectKey, files };
    const added = await this.commits.add(id, commit);
    if (added === undefined) throw new BranchMoved(branch, await this.trees.headOf(id, branch));
    return added;
  }

  private async planned(
    id: string,
    { branch, expectedHead, files }: WriteFilesInput,
    head: string | undefined,
  ): Promise<{ parent: string | null; files: readonly ChangedFile[] }> {
    const parent = expectedHead === null ? undefined : await this.trees.commitOf(id, expectedHead);
    const isExpected = head === undefined ? expectedHead === null || parent !== undefined : head === expectedHead;
    if (!isExpected) throw new BranchMoved(branch, head);
    return { parent: parent ?? null, files: await this.changesOf(id, parent, files) };
  }

  /** Files keep their mode. What is no file is neither replaced nor deleted. */
  private async changesOf(
    id: string,
    parent: string | undefined,
    files: WriteFilesInput['files'],
  ): Promise<readonly ChangedFile[]> {
    const paths = files.map(({ path }) => path);
    const entries = parent === undefined ? [] : await this.trees.entriesOf(id, parent, paths);
    const modes = new Map(entries.map(({ path, mode }) => [path, mode]));
    return files.map(({ path, content }, index) => {
      const mode = modes.get(path);
      if (mode !== undefined && !mode.startsWith('100') && mode !== '120000')
        refuse(`files[${index}].path`, 'is_file', `${path} is a directory`);
      if (mode === undefined && content === null)
        refuse(`files[${index}].path`, 'exists', `${path} does not exist, so it cannot be deleted`);
      return { path, content: content === null ? null : Buffer.from(content), executable: mode === '100755' };
    });
  }
}

const bytesOf = ({ files }: WriteFilesInput): number =>
  files.reduce((sum, { content }) => sum + Buffer.byteLength(content ?? ''), 0);

function requireValid(input: WriteFilesInput): void {
  const { branch, message, files, expectedHead } = input;
  if (!isBranchName(branch)) refuse('branch', 'is_branch_name', 'branch must be a valid git branch name');
  if (message.trim() === '' || message.length > MAX_MESSAGE_LENGTH || message.includes('\0'))
    refuse('message', 'length', `message must have 1 to ${MAX_MESSAGE_LENGTH} characters`);
  if (expectedHead !== null && !COMMIT_HASH.test(expectedHead))
    refuse('expected_head', 'matches', 'expected_head must be a full commit hash of 40 hexadecimal digits');
  if (files.length === 0 || files.length > MAX_FILES)
    refuse('files', 'length', `files must have 1 to ${MAX_FILES} entries`);
  for (const [index, { path, content }] of files.entries()) {
    if (!isTreePath(path))
      refuse(`files[${index}].path`, 'is_tree_path', 'path must be relative, without ".." and names that git uses');
    if (Buffer.byteLength(content ?? '') > MAX_FILE_BYTES)
      refuse(`files[${index}].content`, 'max_bytes', `content must have at most ${MAX_FILE_BYTES} bytes of UTF-8`);
  }
  if (!areSeparatePaths(files.map(({ path }) => path)))
    refuse('files', 'are_separate', 'files must have distinct paths, and no path may be a directory of another');
  if (bytesOf(input) > MAX_BYTES) refuse('files', 'max_bytes', `files must have at most ${MAX_BYTES} bytes together`);
}

function refuse(path: string, code: string, message: string): never {
  throw new RequestInvalid([{ path, in: 'body', code, message }]);
}
