import { Injectable } from '@nestjs/common';
import { isBranchName } from '../../platform/git/branch-name.js';
import { Ids } from '../../platform/ids/ids.js';
import { JOB_ID } from '../../platform/ids/platform.ids.js';
import type { Call } from '../auth/caller.js';
import type { Scope } from '../auth/scopes.js';
import { isRepositoryName } from './domain/repository-name.js';
import { Directories } from './git/directories.js';
import { type FoundLine, RepositoryTrees, type TreeEntry } from './git/repository-trees.js';
import { RepositoriesStore } from './persistence/repositories.store.js';
import type { Repository } from './persistence/repository.entity.js';
import { FileWrites, type WriteFilesInput } from './pushes/file-writes.js';
import { GitSlots } from './pushes/git-slots.js';
import { BranchNotFound, RepositoryNotFound } from './repositories.errors.js';

export type { FoundLine, WriteFilesInput };

/** The most that one call reads. */
export const MAX_READ_FILES = 100;
const MAX_FILE_BYTES = 1_048_576;
const MAX_READ_BYTES = 4 * MAX_FILE_BYTES;
const MAX_LISTED = 2_000;

export type ReadFile =
  | { readonly path: string; readonly kind: 'file'; readonly size: number; readonly content: Buffer }
  /** Larger than a file may be, or than what was left of the whole. */
  | { readonly path: string; readonly kind: 'too_large'; readonly size: number }
  | { readonly path: string; readonly kind: 'directory'; readonly files: readonly string[]; readonly isCut: boolean }
  | { readonly path: string; readonly kind: 'submodule' | 'missing' };

/** A branch at the moment when it was read. */
export interface ReadBranch {
  readonly repositoryId: string;
  readonly branch: string;
  readonly commit: string;
}

/** Reads and writes files of the repositories that this service hosts, with the permissions of a caller. */
@Injectable()
export class RepositoryFilesService {
  constructor(
    private readonly repositories: RepositoriesStore,
    private readonly directories: Directories,
    private readonly trees: RepositoryTrees,
    private readonly writes: FileWrites,
    private readonly slots: GitSlots,
    private readonly ids: Ids,
  ) {}

  /**
   * Reads files and lists directories; an empty path is the root.
   *
   * @throws {RepositoryNotFound} `repository_not_found`
   * @throws {BranchNotFound} `branch_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {TooManyGitCalls} `concurrency_limit_exceeded`
   */
  read(
    call: Call,
    idOrName: string,
    { branch, paths }: { readonly branch?: string | undefined; readonly paths: readonly string[] },
  ): Promise<ReadBranch & { readonly files: readonly ReadFile[] }> {
    return this.at(call, idOrName, branch, async (found) => ({
      ...found,
      files: await this.filesOf(found, paths.slice(0, MAX_READ_FILES)),
    }));
  }

  /** Finds lines with a text, in the files below a directory. @throws as {@link read}. */
  search(
    call: Call,
    idOrName: string,
    {
      branch,
      ...query
    }: {
      readonly branch?: string | undefined;
      readonly text: string;
      readonly directory: string;
      readonly ignoresCase: boolean;
      readonly limit: number;
    },
  ): Promise<ReadBranch & { readonly lines: readonly FoundLine[] }> {
    const canExist = query.directory === '' || isPlainPath(query.directory);
    return this.at(call, idOrName, branch, async (found) => ({
      ...found,
      lines: !canExist ? [] : await this.trees.linesWith(found.repositoryId, found.commit, query),
    }));
  }

  /**
   * Adds a commit to a branch, as a push does. A commit with a key names it: a branch whose recent history has that key
   * stays as it is, and its commit is returned again.
   *
   * @throws {BranchMoved} `branch_moved`
   * @throws {RequestInvalid} `invalid_request`
   * @throws as {@link read} and as a push.
   */
  async write(call: Call, idOrName: string, input: WriteFilesInput): Promise<ReadBranch> {
    const repository = await this.find(call, idOrName, 'repositories:write');
    const commit = await this.writes.write(repository, call.principal.user, input);
    return { repositoryId: repository.id, branch: input.branch, commit };
  }

  /** Returns what {@link write} would add its commit to, and writes nothing. @throws as it. */
  async rehearse(call: Call, idOrName: string, input: WriteFilesInput): Promise<ReadBranch> {
    const repository = await this.find(call, idOrName, 'repositories:write');
    await this.writes.check(repository, input);
    return { repositoryId: repository.id, branch: input.branch, commit: input.expectedHead ?? '0'.repeat(40) };
  }

  private async at<T>(
    call: Call,
    idOrName: string,
    branch: string | undefined,
    work: (found: ReadBranch) => Promise<T>,
  ): Promise<T> {
    const repository = await this.find(call, idOrName, 'repositories:read');
    const name = branch ?? repository.defaultBranch;
    const holder = this.ids.next(JOB_ID);
    await this.slots.take(repository.orgId, holder);
    try {
      await this.directories.ensure(repository);
      const commit = isBranchName(name) ? await this.trees.headOf(repository.id, name) : undefined;
      if (commit === undefined) throw new BranchNotFound(name);
      return await work({ repositoryId: repository.id, branch: name, commit });
    } finally {
      await this.slots.release(repository.orgId, holder);
    }
  }

  private async find({ principal, org }: Call, idOrName: string, scope: Scope): Promise<Repository> {
    const byName = isRepositoryName(idOrName) ? await this.repositories.findByName(org.id, idOrName) : null;
    const repository = (await this.repositories.find(idOrName, principal.lookupOrgIds)) ?? byName;
    if (repository?.provider !== 'service') throw new RepositoryNotFound();
    principal.require(scope, repository.orgId);
    return repository;
  }

  private async filesOf({ repositoryId, commit }: ReadBranch, asked: readonly string[]): Promise<ReadFile[]> {
    const paths = asked.map((path) => path.replace(/^\.?\/|\/$/g, '').replace(/^\.$/, ''));
    const named = paths.filter(isPlainPath);
    const entries = named.length === 0 ? [] : await this.trees.entriesOf(repositoryId, commit, named);
    const byPath = new Map(entries.map((entry) => [entry.path, entry]));
    const contents = await this.contentsOf(repositoryId, entries);
    const files: ReadFile[] = [];
    for (const path of paths) {
      const entry = byPath.get(path);
      if (path === '' || entry?.type === 'tree') files.push(await this.listed(repositoryId, commit, path));
      else files.push(fileOf(path, entry, contents));
    }
    return files;
  }

  /** Files that would make the answer too large are left out. */
  private async contentsOf(id: string, entries: readonly TreeEntry[]): Promise<ReadonlyMap<string, Buffer>> {
    let left = MAX_READ_BYTES;
    const wanted = entries.filter(({ type, size }) => {
      if (type !== 'blob' || size === null || size > Math.min(left, MAX_FILE_BYTES)) return false;
      left -= size;
      return true;
    });
    const blobs = await this.trees.blobsOf(id, wanted);
    return new Map(wanted.map(({ path }, index) => [path, blobs[index]!]));
  }

  private async listed(id: string, commit: string, path: string): Promise<ReadFile> {
    const { paths, isCut } = await this.trees.filesBelow(id, commit, path);
    return { path, kind: 'directory', files: paths.slice(0, MAX_LISTED), isCut: isCut || paths.length > MAX_LISTED };
  }
}

/** Other paths lead nowhere in a tree, and git takes some of them for a mistake. */
const isPlainPath = (path: string): boolean =>
  !path.includes('\0') && path.split('/').every((name) => !/^\.{0,2}$/.test(name));

function fileOf(path: string, entry: TreeEntry | undefined, contents: ReadonlyMap<string, Buffer>): ReadFile {
  if (entry === undefined) return { path, kind: 'missing' };
  const content = contents.get(path);
  if (content !== undefined) return { path, kind: 'file', size: content.length, content };
  return entry.size === null ? { path, kind: 'submodule' } : { path, kind: 'too_large', size: entry.size };
}
