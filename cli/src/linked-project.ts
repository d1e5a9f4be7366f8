import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from './failures.js';

/** The file names the project of a directory, and is committed with it. */
const FILE = '.service.json';

export interface ProjectOption {
  readonly project?: string;
}

export const withProject = (command: Command): Command =>
  command.option(
    '--project <id-or-slug>',
    `the project (default: the one in ${FILE} of this directory, see "service link")`,
  );

/** Describes the argument of commands that take a project as their only argument. */
export const PROJECT_ARGUMENT = `id or slug of the project (default: the one in ${FILE} of this directory)`;

/**
 * Returns the named project, or else the one that `directory` or this directory is linked to.
 *
 * @throws {UsageError} when no project is named and no directory is linked to one.
 */
export async function projectOf({ project }: ProjectOption, directory = '.'): Promise<string> {
  if (project !== undefined) return project;
  const text = (await contentOf(join(directory, FILE))) ?? (await contentOf(FILE));
  if (text === undefined)
    throw new UsageError('This directory is not linked to a project. Run "service link <project>", or pass --project.');
  const id: unknown = (parsed(text) as { project?: unknown } | undefined)?.project;
  if (typeof id !== 'string') throw new UsageError(`${FILE} cannot be read. Run "service link <project>" again.`);
  return id;
}

export async function link(projectId: string): Promise<void> {
  await writeFile(FILE, `${JSON.stringify({ project: projectId }, undefined, 2)}\n`);
}

const contentOf = (file: string): Promise<string | undefined> => readFile(file, 'utf8').catch(() => undefined);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
