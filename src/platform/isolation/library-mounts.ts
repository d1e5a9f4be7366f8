import { existsSync, lstatSync, readlinkSync } from 'node:fs';

import { type Architecture } from './seccomp/bpf.js';

/** The directories of shared libraries to mount, and the links to them that distributions keep. */
export interface LibraryPaths {
  readonly directories: readonly string[];
  readonly links: readonly { readonly to: string; readonly at: string }[];
}

const TRIPLETS: Readonly<Record<Architecture, string>> = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };

/**
 * The shared libraries of this machine. Whole directories are mounted, because one mount is cheaper than thirty and an
 * extension module may need any library; `/usr/bin` and `/etc` stay out.
 */
export function libraryPaths(architecture: Architecture): LibraryPaths {
  const triplet = TRIPLETS[architecture];
  const links = ['/lib', '/lib64'].filter(isLink).map((at) => ({ to: readlinkSync(at), at }));
  const linked = new Set(links.map(({ at }) => at));

  const directories = [
    `/usr/lib/${triplet}`,
    '/usr/lib64',
    ...(linked.has('/lib') ? [] : [`/lib/${triplet}`]),
    ...(linked.has('/lib64') ? [] : ['/lib64']),
    // Debian's loader for arm64 is beside its library directory, not in it.
    ...(architecture === 'arm64' ? ['/lib/ld-linux-aarch64.so.1'] : []),
  ];
  return { directories: directories.filter((path) => existsSync(path)), links };
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
