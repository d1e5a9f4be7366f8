import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { RunRequest } from '@service/client';
import { Option } from 'commander';
import { UsageError } from '../failures.js';

/** The packages of a program or a session. */
export interface PackageOptions {
  readonly packageSet?: NonNullable<RunRequest['package_set']> | undefined;
  readonly package?: readonly string[] | undefined;
}

export const languageOption = (description: string): Option =>
  new Option('--language <language>', description).choices(['typescript', 'javascript', 'python']);

export const packageSetOption = (): Option =>
  new Option('--package-set <name>', 'set of installed packages for the program').choices([
    'python-data',
    'node-common',
  ]);
export const PACKAGE_OPTION = [
  '--package <package...>',
  'package for the program, such as npm:lodash@4.18.1 or pip:six==1.16.0',
] as const;

export function variablesOf(assignments: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    assignments.map((assignment) => {
      const at = assignment.indexOf('=');
      if (at < 1) throw new UsageError(`--env takes NAME=VALUE, and "${assignment}" is not.`);
      return [assignment.slice(0, at), assignment.slice(at + 1)];
    }),
  );
}

/** Returns the fields of a request that say which packages it needs. */
export const packageFieldsOf = ({
  packageSet,
  package: named,
}: PackageOptions): Pick<RunRequest, 'package_set' | 'packages'> => ({
  ...(packageSet === undefined ? {} : { package_set: packageSet }),
  ...(named === undefined ? {} : { packages: packagesOf(named) }),
});

function packagesOf(named: readonly string[]): NonNullable<RunRequest['packages']> {
  const packages: { npm?: string[]; pip?: string[] } = {};
  for (const each of named) {
    const [, registry, name] = /^(npm|pip):(.+)$/.exec(each) ?? [];
    if (name === undefined)
      throw new UsageError(`--package takes npm:NAME@VERSION or pip:NAME==VERSION, and "${each}" is neither.`);
    (packages[registry as 'npm' | 'pip'] ??= []).push(name);
  }
  return packages;
}

/** The text of a file; "-" is standard input. */
export const contentOf = async (file: string): Promise<string> =>
  file === '-' ? text(process.stdin) : (await bytesOf(file)).toString();

export async function bytesOf(file: string): Promise<Buffer<ArrayBuffer>> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`);
  }
}
