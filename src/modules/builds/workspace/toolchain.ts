import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { WITH_EGRESS } from '../../../platform/egress/egress-proxy.js';
import { type Isolation } from '../../../platform/isolation/isolation.js';
import { type Mount } from '../../../platform/isolation/isolation-spec.js';
import { type NodePrograms, NodeUnavailable, ownNodeProgram } from '../../../platform/node-programs/node-programs.js';
import { standardLibraryOf, systemPackagesOf, systemPython } from '../../../platform/python/system-python.js';
import { npmPackage } from '../../../platform/node-programs/npm-program.js';
import { BuildFailed } from '../build-failed.js';
import { type BuildDirectories } from './build-directories.js';

/**
 * The paths of the host that builds see, besides shared libraries: the usual tools, those of git, and certificates.
 * They see nothing of `/home`, `/root`, `/var` or the rest of `/etc`.
 */
const SYSTEM = [
  '/usr/bin',
  '/usr/lib/git-core',
  '/usr/libexec/git-core',
  '/usr/share/git-core',
  '/usr/share/zoneinfo',
  '/usr/share/ca-certificates',
  '/etc/ssl/certs',
  '/etc/pki/tls/certs',
  '/etc/pki/ca-trust/extracted',
  '/etc/alternatives',
  '/etc/ld.so.cache',
];

/** What compilers and Python need besides their programs. They build native code where the machine has them. */
const COMPILERS = [
  '/usr/include',
  '/usr/lib/gcc',
  '/usr/libexec/gcc',
  ...standardLibraryOf(systemPython()),
  // One of these packages is pip.
  ...systemPackagesOf(systemPython()),
  '/usr/share/python3',
];

/** The headers of the Node that the system has, if any. */
const HEADERS = '/usr/include/node/node_version.h';

/** Builds trust the authorities that this machine trusts, including one of the operator's network. */
export const CERTIFICATES = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt'].find((path) =>
  existsSync(path),
);

/** Where a build sees its package manager, if it has been fetched in advance. */
export const PACKAGE_MANAGER = '/opt/package-manager';

const MODULES = `${PACKAGE_MANAGER}/node_modules`;

/** A package manager that has not been fetched in advance is fetched when it is called. */
const FETCHED_WHEN_CALLED: Readonly<Record<string, string>> = {
  pnpm: '"pnpm@${BUILD_PNPM:-10}" pnpm',
  yarn: '"${BUILD_YARN:-yarn@1}" yarn',
  bun: '"bun@${BUILD_BUN:-1}" bun',
};

/** The programs are scripts of Node, except `native` ones. */
function packageManagerScript(name: string, programs: readonly string[], native?: string): string {
  const lines = programs.map((program) => `[ -f ${MODULES}/${program} ] && exec node ${MODULES}/${program} "$@"`);
  if (native !== undefined)
    lines.push(`for program in ${MODULES}/${native}; do [ -f "$program" ] && exec "$program" "$@"; done`);
  return `#!/bin/sh\n${lines.join('\n')}\nexec npx --yes --package ${FETCHED_WHEN_CALLED[name]} "$@"\n`;
}

const FILES: Readonly<Record<string, { text: string; executable?: true }>> = {
  'etc/passwd': { text: 'build:x:1000:1000:build:/home/build:/bin/sh\n' },
  'etc/group': { text: 'build:x:1000:\n' },
  'images/passwd': { text: 'root:x:0:0:root:/home/build:/bin/sh\n' },
  'images/group': { text: 'root:x:0:\n' },
  'etc/hosts': { text: '127.0.0.1 localhost\n::1 localhost\n' },
  'etc/nsswitch.conf': { text: 'passwd: files\ngroup: files\nhosts: files\n' },
  'bin/npm': { text: '#!/bin/sh\nexec node /opt/npm/bin/npm-cli.js "$@"\n', executable: true },
  'bin/npx': { text: '#!/bin/sh\nexec node /opt/npm/bin/npx-cli.js "$@"\n', executable: true },
  'bin/pnpm': {
    text: packageManagerScript('pnpm', ['pnpm/bin/pnpm.cjs', 'pnpm/bin/pnpm.mjs'], '@pnpm/exe.*/pnpm'),
    executable: true,
  },
  'bin/pnpx': { text: '#!/bin/sh\nexec pnpm dlx "$@"\n', executable: true },
  'bin/yarn': {
    text: packageManagerScript('yarn', ['yarn/bin/yarn.js', '@yarnpkg/cli-dist/bin/yarn.js']),
    executable: true,
  },
  'bin/bun': { text: packageManagerScript('bun', [], '@oven/*/bin/bun'), executable: true },
  'bin/bunx': { text: '#!/bin/sh\nexec bun x "$@"\n', executable: true },
  // The version of a package manager is decided before the build, so that there is nothing to enable.
  'bin/corepack': {
    text: '#!/bin/sh\ncase "$1" in pnpm | pnpx | yarn | npm | npx) exec "$@" ;; esac\nexit 0\n',
    executable: true,
  },
  'bin/install-python-packages': {
    text: '#!/bin/sh\nexec python3 -B /opt/inside/install_packages.py "$@"\n',
    executable: true,
  },
  'bin/collect-static-files': {
    text: '#!/bin/sh\nexec python3 -B /opt/inside/collect_static_files.py "$@"\n',
    executable: true,
  },
  // Git reads `safe.directory` only from protected configuration, and the repository belongs to another user.
  gitconfig: {
    text: `[safe]
	directory = *
[core]
	hooksPath = /dev/null
	symlinks = true
	autocrlf = false
[protocol]
	version = 2
[http]
	lowSpeedLimit = 1000
	lowSpeedTime = 30
	followRedirects = initial
[transfer]
	credentialsInUrl = die
[credential]
	helper = "!f() { test \\"$1\\" = get && cat /tmp/credential 2>/dev/null; }; f"
[advice]
	detachedHead = false
[gc]
	auto = 0
[init]
	defaultBranch = main
	templateDir =
`,
  },
};

/** Locates the programs that builds run on this machine. */
export class Toolchain {
  private tools: Promise<string> | null = null;
  private npm: Promise<string> | null = null;
  private imageFiles: Promise<string> | null = null;
  private headers: string | undefined;

  constructor(
    private readonly isolation: Isolation,
    private readonly directories: BuildDirectories,
    private readonly nodes: NodePrograms,
  ) {}

  /** The mounts of the system and of our own configuration files. */
  async system(): Promise<Mount[]> {
    const tools = await this.toolFiles();
    return [
      ...SYSTEM.filter((path) => existsSync(path)).map((path) => ({ from: path, to: path })),
      // On most systems this is a link to /usr/bin.
      { from: '/bin', to: '/bin' },
      ...['passwd', 'group', 'hosts', 'nsswitch.conf'].map((name) => ({
        from: join(tools, 'etc', name),
        to: `/etc/${name}`,
      })),
      { from: join(tools, 'gitconfig'), to: '/opt/tools/gitconfig' },
      { from: join(tools, 'bin'), to: '/opt/tools/bin' },
    ];
  }

  /** Major versions that projects can use, newest first. */
  get nodeVersions(): string[] {
    return this.nodes.lines;
  }

  /**
   * Returns the mounts of a major version of Node. `report` is called when it has to be fetched first.
   *
   * @throws {BuildFailed} `node_version_unavailable`
   */
  async node(version: string, report: (text: string) => void): Promise<Mount[]> {
    try {
      const program = await this.nodes.program(version, report);
      return [{ from: await this.isolation.reachable(program), to: '/opt/node/bin/node' }];
    } catch (error) {
      throw error instanceof NodeUnavailable
        ? new BuildFailed('node_version_unavailable', error.message, { cause: error })
        : error;
    }
  }

  /** The Node for our own programs. It is never fetched. */
  async ownNode(): Promise<Mount[]> {
    return [{ from: await this.isolation.reachable(ownNodeProgram()), to: '/opt/node/bin/node' }];
  }

  async npmPackage(): Promise<Mount[]> {
    this.npm ??= this.locateNpm();
    this.npm.catch(() => {
      this.npm = null;
    });
    return [{ from: await this.npm, to: '/opt/npm' }];
  }

  /** The mounts of compilers and Python, as far as this machine has them. */
  compilers(): Mount[] {
    return COMPILERS.filter((path) => existsSync(path)).map((path) => ({ from: path, to: path }));
  }

  /**
   * The variable by which node-gyp finds the headers of a release line, if they are on this machine. It downloads them
   * otherwise, for which the build needs an open network.
   */
  headersOf(line: string | null): Readonly<Record<string, string>> {
    this.headers ??= headersLine();
    return line !== null && line === this.headers ? { npm_config_nodedir: '/usr' } : {};
  }

  /** What a builder of container images finds in `/etc`: its configuration, and root as the only user. */
  async imageSystem(configuration: Readonly<Record<string, string>>): Promise<Mount[]> {
    this.imageFiles ??= this.writeImageFiles(configuration);
    this.imageFiles.catch(() => {
      this.imageFiles = null;
    });
    const directory = await this.imageFiles;
    const tools = await this.toolFiles();
    return [
      ...['passwd', 'group'].map((name) => ({ from: join(tools, 'images', name), to: `/etc/${name}` })),
      { from: directory, to: '/etc/containers' },
    ];
  }

  private async writeImageFiles(configuration: Readonly<Record<string, string>>): Promise<string> {
    const directory = await this.directories.makeJob(`images-tools-${randomBytes(6).toString('hex')}`);
    for (const [name, text] of Object.entries(configuration)) {
      await writeFile(join(directory, name), text);
      await chmod(join(directory, name), 0o644);
    }
    return directory;
  }

  /** The program that forwards the network of a sandbox to its proxy. */
  async egressProgram(): Promise<Mount[]> {
    return [{ from: await this.isolation.reachable(WITH_EGRESS), to: '/opt/egress/with-egress.cjs' }];
  }

  /** One of our own programs that run inside of the sandbox, such as `inspect.cjs`. */
  async ownProgram(name: string): Promise<Mount> {
    return { from: await this.isolation.reachable(join(__dirname, '../inside', name)), to: `/opt/inside/${name}` };
  }

  private toolFiles(): Promise<string> {
    this.tools ??= this.writeTools();
    // A failure, such as a full disk, is not remembered: the next build tries again.
    this.tools.catch(() => {
      this.tools = null;
    });
    return this.tools;
  }

  private async locateNpm(): Promise<string> {
    const found = await npmPackage();
    if (found === undefined) throw new BuildFailed('isolation_unavailable', 'npm is not installed on this machine.');
    return this.isolation.reachable(found);
  }

  private async writeTools(): Promise<string> {
    // The directory is removed with those of this process's builds. In tests a process has several of them.
    const tools = await this.directories.makeJob(`tools-${randomBytes(6).toString('hex')}`);
    for (const [name, { text, executable }] of Object.entries(FILES)) {
      const file = join(tools, name);
      await mkdir(dirname(file), { recursive: true, mode: 0o755 });
      await writeFile(file, text);
      await chmod(file, executable === true ? 0o755 : 0o644);
    }
    for (const directory of ['etc', 'bin', 'images']) await chmod(join(tools, directory), 0o755);
    return tools;
  }
}

function headersLine(): string {
  try {
    return /#define NODE_MAJOR_VERSION (\d+)/.exec(readFileSync(HEADERS, 'utf8'))?.[1] ?? '';
  } catch {
    return '';
  }
}
