import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { UploadedFile } from '@service/client';
import { UsageError } from '../failures.js';
import { IgnoreRules } from './ignore-rules.js';

/** The limit of the service. */
const MAX_FILES = 20_000;
const IGNORE_FILES = ['.gitignore', '.serviceignore'];
/** What is never uploaded: history, dependencies, and files that often hold secrets. */
const NEVER = /^(?:\.git|node_modules|\.env.*)$/i;

export interface SourceFiles {
  readonly files: readonly UploadedFile[];
  /** Paths of links and of special files, which are not uploaded. */
  readonly skipped: readonly string[];
}

interface ScopedRules {
  /** The directory of the rules, with a slash at its end unless it is the root. */
  readonly directory: string;
  readonly rules: IgnoreRules;
}

/**
 * Lists the files of a directory that `.gitignore` and `.serviceignore` do not exclude, with the hashes of their
 * content, sorted by path.
 *
 * @throws {UsageError} when the directory cannot be read, is empty or has too many files.
 */
export async function sourceFilesOf(directory: string, onFile: (count: number) => void): Promise<SourceFiles> {
  const info = await stat(directory).catch(() => undefined);
  if (info?.isDirectory() !== true)
    throw new UsageError(`${directory} is not a directory. Name a directory to deploy.`);
  const files: UploadedFile[] = [];
  const skipped: string[] = [];
  for await (const { path, isFile } of walk(directory, '', [])) {
    if (!isFile) {
      skipped.push(path);
      continue;
    }
    if (files.length === MAX_FILES)
      throw new UsageError(
        `${directory} has more than ${MAX_FILES} files. Name what the build does not need in .serviceignore.`,
      );
    files.push(await described(directory, path));
    onFile(files.length);
  }
  if (files.length === 0) throw new UsageError(`${directory} has no file to deploy. Everything in it is ignored.`);
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), skipped };
}

async function* walk(
  root: string,
  directory: string,
  outer: readonly ScopedRules[],
): AsyncGenerator<{ path: string; isFile: boolean }> {
  const scoped = [...outer, ...(await rulesIn(root, directory))];
  for (const entry of await readdir(join(root, directory), { withFileTypes: true })) {
    const path = `${directory}${entry.name}`;
    if (NEVER.test(entry.name) || isIgnored(path, entry.isDirectory(), scoped)) continue;
    if (entry.isDirectory()) yield* walk(root, `${path}/`, scoped);
    else yield { path, isFile: entry.isFile() };
  }
}

async function rulesIn(root: string, directory: string): Promise<ScopedRules[]> {
  const texts = await Promise.all(
    IGNORE_FILES.map((name) => readFile(join(root, directory, name), 'utf8').catch(() => undefined)),
  );
  return texts.flatMap((text) => (text === undefined ? [] : [{ directory, rules: new IgnoreRules(text) }]));
}

/** The rules of inner directories come later, and decide first. */
function isIgnored(path: string, isDirectory: boolean, scoped: readonly ScopedRules[]): boolean {
  for (const { directory, rules } of scoped.toReversed()) {
    const verdict = rules.ignores(path.slice(directory.length), isDirectory);
    if (verdict !== undefined) return verdict;
  }
  return false;
}

async function described(root: string, path: string): Promise<UploadedFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(join(root, path)) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  const { mode } = await stat(join(root, path));
  return { path, sha256: hash.digest('hex'), bytes, executable: (mode & 0o100) !== 0 };
}
