import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { WITH_EGRESS } from '../../../platform/egress/egress-proxy.js';
import { type Isolation } from '../../../platform/isolation/isolation.js';
import { nodeLines, nodeProgram } from '../../../platform/isolation/node-programs.js';
import { type Mount } from '../../../platform/isolation/isolation-spec.js';
import { BuildFailed } from '../build-failed.js';
import { type BuildDirectories } from './build-directories.js';

/** What programs of a build find, beside shared libraries: the usual tools, git's, certificates. Nothing of `/home`, `/root`, `/var`, or the rest of `/etc`. */
const SYSTEM = [
  '/usr/bin', '/usr/lib/git-core', '/usr/libexec/git-core', '/usr/share/git-core', '/usr/share/zoneinfo', '/usr/share/ca-certificates',
  '/etc/ssl/certs', '/etc/pki/tls/certs', '/etc/pki/ca-trust/extracted', '/etc/alternatives', '/etc/ld.so.cache',
];

const NPM_PLACES = ['../lib/node_modules/npm', '../../lib/node_modules/npm'];
const OTHER_NPM_PLACES = ['/usr/lib/node_modules/npm', '/usr/local/lib/node_modules/npm', '/usr/share/nodejs/npm'];

/** What this machine trusts, an authority of its operator's network among it, builds trust as well. */
export const CERTIFICATES = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt'].find((path) => existsSync(path));

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
  'gitconfig': {
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
  private readonly nodes = new Map<string, Promise<string>>();
  private tools: Promise<string> | null = null;
  private npm: Promise<string> | null = null;

  constructor(private readonly isolation: Isolation, private readonly directories: BuildDirectories) {}

  /** The mounts of the system, and of our own small files. */
  async system(): Promise<Mount[]> {
    this.tools ??= this.writeTools();
    // What failed once, as on a disk that is full, is tried again.
    this.tools.catch(() => { this.tools = null; });
    const tools = await this.tools;
    return [
      ...SYSTEM.filter((path) => existsSync(path)).map((path) => ({ from: path, to: path })),
      // A link to /usr/bin, nearly everywhere.
      { from: '/bin', to: '/bin' },
      ...['passwd', 'group', 'hosts', 'nsswitch.conf'].map((name) => ({ from: join(tools, 'etc', name), to: `/etc/${name}` })),
      { from: join(tools, 'gitconfig'), to: '/opt/tools/gitconfig' },
      { from: join(tools, 'bin'), to: '/opt/tools/bin' },
    ];
  }

  /** Release lines, the newest first: those which come with the service, and that which it runs on. */
  get nodeVersions(): string[] {
    return nodeLines();
  }

  /** @throws {BuildFailed} `node_version_unavailable` */
  async node(version: string): Promise<Mount[]> {
    const known = this.nodes.get(version) ?? this.locateNode(version);
    this.nodes.set(version, known);
    // What is missing may be installed under the running service.
    known.catch(() => this.nodes.delete(version));
    return [{ from: await known, to: '/opt/node/bin/node' }];
  }

  /** A Node for programs of ours. */
  ownNode(): Promise<Mount[]> {
    return this.node(this.nodeVersions[0]!);
  }

  async npmPackage(): Promise<Mount[]> {
    this.npm ??= this.locateNpm();
    this.npm.catch(() => { this.npm = null; });
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

  private async locateNode(version: string): Promise<string> {
    const program = nodeProgram(version);
    if (program !== undefined) return this.isolation.reachable(program);
    throw new BuildFailed('node_version_unavailable', `Node ${version} is not installed here. There are: ${this.nodeVersions.join(', ')}.`);
  }

  private async locateNpm(): Promise<string> {
    const node = dirname(await realpath(process.execPath));
    const places = [...NPM_PLACES.map((place) => join(node, place)), ...OTHER_NPM_PLACES];
    const found = places.find((place) => existsSync(join(place, 'bin/npm-cli.js')));
    if (found === undefined) throw new BuildFailed('isolation_unavailable', 'npm was not found beside the Node that runs the service.');
    return this.isolation.reachable(found);
  }

  private async writeTools(): Promise<string> {
    // Gone with this process, as the directories of its builds are. A process may have several of these, in tests for one.
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
