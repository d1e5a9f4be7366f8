import { type EgressPolicy } from '../../../platform/egress/egress-policy.js';
import { PUBLIC_REGISTRIES } from '../builds.settings.js';
import { type Ecosystem } from '../package-layers.js';
import { type Step } from '../workspace/build-session.js';
import { CERTIFICATES, type Toolchain } from '../workspace/toolchain.js';

export interface Registries {
  /** The address of the npm registry. */
  readonly npm: string;
  /** The address of the package index for Python, such as `https://pypi.org/simple`. */
  readonly pip: string;
  /** Hosts of the operator that builds may reach. */
  readonly trusted: readonly string[];
}

const PUBLIC: readonly string[] = Object.values(PUBLIC_REGISTRIES);
/** The index sends pip to this host for the files. */
const FILES_OF_PYPI = 'files.pythonhosted.org';
/** The directory that is copied to the shelf. */
const LAYER = '/work/layer';
const NPM = 'node /opt/npm/bin/npm-cli.js';
const OPTIONS = '--ignore-scripts --no-audit --no-fund --omit=dev --loglevel=error';
const NPM_COMMANDS = {
  lock: `cat > package.json && ${NPM} install --package-lock-only ${OPTIONS} >&2 && cat package-lock.json`,
  install:
    `printf %s "$1" > package.json && cat > package-lock.json && ${NPM} ci --no-bin-links ${OPTIONS} >&2 && ` +
    `mkdir -p node_modules && rm -f node_modules/.package-lock.json && mv node_modules ${LAYER}`,
} as const;

/** npm has its configuration from us alone, and no other way to fetch a package than the registry. */
const NPM_ENVIRONMENT = {
  npm_config_cache: '/tmp/npm',
  npm_config_userconfig: '/dev/null',
  npm_config_globalconfig: '/tmp/none',
  npm_config_update_notifier: 'false',
  npm_config_progress: 'false',
  npm_config_logs_max: '0',
  npm_config_git: '/usr/bin/false',
  npm_config_fetch_retries: '1',
  npm_config_fetch_retry_mintimeout: '1000',
  npm_config_fetch_timeout: '60000',
};

type LayerWork = keyof typeof NPM_COMMANDS;

/** The programs that resolve and install packages in the isolation of a build. */
export class LayerSteps {
  constructor(
    private readonly toolchain: Toolchain,
    private readonly registries: Registries,
  ) {}

  /** @param manifest what package.json says, for an installation by npm. */
  async of(ecosystem: Ecosystem, work: LayerWork, stdin: string, manifest = ''): Promise<Step> {
    const own = ecosystem === 'npm' ? await this.npm(work, manifest) : await this.pip(work);
    const registry = this.registries[ecosystem];
    return {
      ...own,
      stdin: Buffer.from(stdin),
      egress: egressTo(registry, this.registries.trusted),
      // npm and pip read what anybody may publish.
      untrustedCode: true,
      output: 'text',
    };
  }

  /** Checks what was installed, and prints its size. */
  async seal(bounds: { readonly bytes: number; readonly files: number }): Promise<Step> {
    return {
      command: ['/opt/node/bin/node', '/opt/inside/seal-layer.cjs', LAYER, String(bounds.bytes), String(bounds.files)],
      mounts: [...(await this.toolchain.ownNode()), await this.toolchain.ownProgram('seal-layer.cjs')],
      output: 'text',
    };
  }

  /** Copies what was installed to a directory that the host has just created. */
  copy(directory: string): Step {
    return {
      command: ['/usr/bin/cp', '-a', `${LAYER}/.`, '/cache/new'],
      writable: [{ from: directory, to: '/cache/new' }],
      output: 'text',
    };
  }

  private async npm(work: LayerWork, manifest: string): Promise<Pick<Step, 'command' | 'mounts' | 'environment'>> {
    return {
      command: ['/usr/bin/sh', '-c', NPM_COMMANDS[work], 'sh', manifest],
      mounts: [...(await this.toolchain.ownNode()), ...(await this.toolchain.npmPackage())],
      environment: { ...NPM_ENVIRONMENT, ...THROUGH_THE_PROXY, npm_config_registry: this.registries.npm },
    };
  }

  private async pip(work: LayerWork): Promise<Pick<Step, 'command' | 'mounts' | 'environment'>> {
    return {
      command: ['/usr/bin/python3', '-B', '/opt/inside/layer_packages.py', work],
      mounts: [
        // It forwards the network.
        ...(await this.toolchain.ownNode()),
        ...this.toolchain.compilers(),
        await this.toolchain.ownProgram('install_packages.py'),
        await this.toolchain.ownProgram('layer_packages.py'),
      ],
      environment: {
        ...THROUGH_THE_PROXY,
        PIP_INDEX_URL: this.registries.pip,
        PIP_CONFIG_FILE: '/dev/null',
        PIP_CACHE_DIR: '/tmp/pip',
        PIP_RETRIES: '1',
        PIP_TIMEOUT: '30',
        ...(CERTIFICATES === undefined ? {} : { PIP_CERT: CERTIFICATES }),
      },
    };
  }
}

/** Nothing inside listens at 127.0.0.1, and a registry of the operator may have that address. */
const THROUGH_THE_PROXY = { no_proxy: '', NO_PROXY: '' };

/** A registry that the operator has chosen may be in any network, and without TLS. */
function egressTo(registry: string, trusted: readonly string[]): EgressPolicy {
  const { protocol, hostname, port } = new URL(registry);
  if (PUBLIC.includes(registry)) return { hosts: [hostname, FILES_OF_PYPI], trusted };
  const usual = protocol === 'https:' ? '443' : '80';
  return { hosts: [FILES_OF_PYPI], trusted: [...trusted, `${hostname}:${port === '' ? usual : port}`] };
}
