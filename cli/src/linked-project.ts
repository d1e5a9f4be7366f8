import { readFile, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { UsageError } from './failures.js';

/** In the directory of a project, to be committed with it: which project it is. */
const FILE = '.service.json';

export interface ProjectOption {
  readonly project?: string;
}

export const withProject = (command: Command): Command =>
  command.option(
    '--project <id-or-slug>',
    `the project (default: that of ${FILE} in this directory, see "service link")`,
  );

/** @throws {UsageError} where none is named and this directory is linked to none. */
export async function projectOf({ project }: ProjectOption): Promise<string> {
  if (project !== undefined) return project;
  const text = await readFile(FILE, 'utf8').catch(() => undefined);
  if (text === undefined)
    throw new UsageError(
      'This directory is linked to no project. Run "service link <project>" here, or give --project.',
    );
  const id: unknown = (parsed(text) as { project?: unknown } | undefined)?.project;
  if (typeof id !== 'string') throw new UsageError(`${FILE} cannot be read. Run "service link <project>" again.`);
  return id;
}

export async function link(projectId: string): Promise<void> {
  await writeFile(FILE, `${JSON.stringify({ project: projectId }, undefined, 2)}\n`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
