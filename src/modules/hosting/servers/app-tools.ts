import { randomBytes } from 'node:crypto';
import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Isolation } from '../../../platform/isolation/isolation.js';
import type { Mount } from '../../../platform/isolation/isolation-spec.js';
import { npmPackage } from '../../../platform/node-programs/npm-program.js';
import { HostingSettings } from '../hosting.settings.js';

/** The name has a hyphen, so that it is never taken for the tree of a deploy. */
const DIRECTORY = 'app-tools';

/**
 * The scripts of a project may call another package manager. What is installed is there, so that npm runs its scripts
 * and the programs of its packages.
 */
const runnerOfScripts = (name: string): string => `#!/bin/sh
refuse() {
  echo "Servers have no ${name}, and npm does not run this in its place: $called" >&2
  exit 127
}
run() {
  script=$1
  shift
  exec npm run "$script" -- "$@"
}
program() {
  PATH="$PWD/node_modules/.bin:$PATH"
  command -v "$1" >/dev/null || { echo "sh: $1: not found" >&2; exit 127; }
  exec "$@"
}
called="${name} $*"
while :; do
  case "$1" in
    -s | --silent) shift ;;
    -C | --dir | --cwd) cd "$2" || exit 1; shift 2 ;;
    *) break ;;
  esac
done
case "$1" in
  exec) shift; program "$@" ;;
  run | run-script) shift; case "$1" in '' | -*) refuse ;; esac; run "$@" ;;
  '' | -* | add | create | dlx | i | install | workspace | workspaces) refuse ;;
esac
if node -e 'process.exit(process.argv[1] in require(process.cwd() + "/package.json").scripts ? 0 : 1)' "$1" 2>&-
then run "$@"
else program "$@"
fi
`;

const WRAPPERS: Readonly<Record<string, string>> = {
  npm: '#!/bin/sh\nexec node /opt/npm/bin/npm-cli.js "$@"\n',
  npx: '#!/bin/sh\nexec node /opt/npm/bin/npx-cli.js "$@"\n',
  pnpm: runnerOfScripts('pnpm'),
  yarn: runnerOfScripts('yarn'),
};

/** Provides `npm`, `npx`, `pnpm` and `yarn` to servers of deploys, for start commands such as `npm start`. */
@Injectable()
export class AppTools {
  private mounted: Promise<readonly Mount[]> | undefined;

  constructor(
    private readonly settings: HostingSettings,
    private readonly isolation: Isolation,
  ) {}

  /** Returns no mounts when this machine has no npm. A failure is not remembered: the next start tries again. */
  mounts(): Promise<readonly Mount[]> {
    this.mounted ??= this.prepare();
    this.mounted.catch(() => {
      this.mounted = undefined;
    });
    return this.mounted;
  }

  private async prepare(): Promise<readonly Mount[]> {
    const npm = await npmPackage();
    if (npm === undefined) return [];
    const directory = join(this.settings.serversDirectory, DIRECTORY);
    await mkdir(directory, { recursive: true, mode: 0o755 });
    for (const [name, text] of Object.entries(WRAPPERS)) {
      const unfinished = join(directory, `${name}.${randomBytes(8).toString('hex')}`);
      await writeFile(unfinished, text);
      await chmod(unfinished, 0o755);
      await rename(unfinished, join(directory, name));
    }
    return [
      { from: await this.isolation.reachable(npm), to: '/opt/npm' },
      { from: directory, to: '/opt/tools/bin' },
    ];
  }
}
