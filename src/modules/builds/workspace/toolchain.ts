import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { WITH_EGRESS } from '../../../platform/egress/egress-proxy.js';
import { type Isolation } from '../../../platform/isolation/isolation.js';
import { type Mount } from '../../../platform/isolation/isolation-spec.js';
import { type NodePrograms, NodeUnavailable, ownNodeProgram } from '../../../platform/node-programs/node-programs.js';
import { npmPackage } from '../../../platform/node-programs/npm-program.js';
import { BuildFailed } from '../build-failed.js';
import { type BuildDirectories } from './build-directories.js';

/**
 * What programs of a build find, beside shared libraries: the usual tools, git's, certificates. Nothing of `/home`,
 * `/root`, `/var`, or the rest of `/etc`.
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

/** What this machine trusts, an authority of its operator's network among it, builds trust as well. */
export const CERTIFICATES = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt'].find((path) =>
  existsSync(path),
);

const FILES: Readonly<Record<string, { text: string; executable?: true }>> = {
  'etc/passwd': { text: 'build:x:1000:1000:build:/home/build:/bin/sh\n' },
  'etc/group': { text: 'build:x:1000:\n' },
  'etc/hosts': { text: '127.0.0.1 localhost\n::1 localhost\n' },
  'etc/nsswitch.conf': { text: 'passwd: files\ngroup: files\nhosts: files\n' },
  'bin/npm': { text: '#!/bin/sh\nexec node /opt/npm/bin/npm-cli.js "$@"\n', executable: true },
  'bin/npx': { text: '#!/bin/sh\nexec node /opt/npm/bin/npx-cli.js "$@"\n', executable: true },
  'bin/pnpm': { text: '#!/bin/sh\nexec npx --yes --package "pnpm@${BUILD_PNPM:-10}" pnpm "$@"\n', executable: true },
  'bin/yarn': { text: '#!/bin/sh\nexec npx --yes --package "${BUILD_YARN:-yarn@1}" yarn "$@"\n', executable: true },
  // Protected configuration, which git asks before it trusts a repository of another user.
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

/** Where the programs that builds run lie on this machine. */
export class Toolchain {
  private tools: Promise<string> | null = null;
  private npm: Promise<string> | null = null;

  constructor(
    private readonly isolation: Isolation,
    private readonly directories: BuildDirectories,
    private readonly nodes: NodePrograms,
  ) {}

  /** The mounts of the system, and of our own small files. */
  async system(): Promise<Mount[]> {
    this.tools ??= this.writeTools();
    // What failed once, as on a disk that is full, is tried again.
    this.tools.catch(() => {
      this.tools = null;
    });
    const tools = await this.tools;
    return [
      ...SYSTEM.filter((path) => existsSync(path)).map((path) => ({ from: path, to: path })),
      // A link to /usr/bin, nearly everywhere.
      { from: '/bin', to: '/bin' },
      ...['passwd', 'group', 'hosts', 'nsswitch.conf'].map((name) => ({
        from: join(tools, 'etc', name),
        to: `/etc/${name}`,
      })),
      { from: join(tools, 'gitconfig'), to: '/opt/tools/gitconfig' },
      { from: join(tools, 'bin'), to: '/opt/tools/bin' },
    ];
  }

  /** Release lines that projects can have, the newest first. */
  get nodeVersions(): string[] {
    return this.nodes.lines;
  }

  /**
   * The Node of a release line. `tell` hears when it has to be fetched first.
   *
   * @throws {BuildFailed} `node_version_unavailable`
   */
  async node(version: string, tell: (text: string) => void): Promise<Mount[]> {
    try {
      const program = await this.nodes.program(version, tell);
      return [{ from: await this.isolation.reachable(program), to: '/opt/node/bin/node' }];
    } catch (error) {
      throw error instanceof NodeUnavailable
        ? new BuildFailed('node_version_unavailable', error.message, { cause: error })
        : error;
    }
  }

  /** A Node for programs of ours, which is never fetched. */
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

  /** What passes the network of a sandbox on to its proxy, and the Node that it runs on. */
  async egressProgram(): Promise<Mount[]> {
    return [{ from: await this.isolation.reachable(WITH_EGRESS), to: '/opt/egress/with-egress.cjs' }];
  }

  /** One of our own programs for the inside, `inspect.cjs`. */
  async ownProgram(name: string): Promise<Mount> {
    return { from: await this.isolation.reachable(join(__dirname, '../inside', name)), to: `/opt/inside/${name}` };
  }

  private async locateNpm(): Promise<string> {
    const found = await npmPackage();
    if (found === undefined) throw new BuildFailed('isolation_unavailable', 'npm is not installed on this machine.');
    return this.isolation.reachable(found);
  }

  private async writeTools(): Promise<string> {
    // Gone with this process, as the directories of its builds are. A process may have several of these, in tests for
    // one.
    const tools = await this.directories.makeJob(`tools-${randomBytes(6).toString('hex')}`);
    for (const [name, { text, executable }] of Object.entries(FILES)) {
      const file = join(tools, name);
      await mkdir(dirname(file), { recursive: true, mode: 0o755 });
      await writeFile(file, text);
      await chmod(file, executable === true ? 0o755 : 0o644);
    }
    for (const directory of ['etc', 'bin']) await chmod(join(tools, directory), 0o755);
    return tools;
  }
}
