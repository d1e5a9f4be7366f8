import { join } from 'node:path';
import { HOSTS_RULE, parseHosts } from '../../platform/config/hosts.js';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ParsedSetting, UrlSetting } from '../../platform/config/setting.js';

/** Registries of public images. Docker Hub, GitHub, Quay and Google send builders to further hosts for the layers. */
const IMAGE_REGISTRIES = [
  ...['docker.io', 'registry-1.docker.io', 'auth.docker.io', 'production.cloudflare.docker.com'],
  ...['production.cloudfront.docker.com', 'ghcr.io', 'pkg-containers.githubusercontent.com'],
  ...['quay.io', 'cdn.quay.io', 'cdn01.quay.io', 'cdn02.quay.io', 'cdn03.quay.io'],
  ...['gcr.io', 'storage.googleapis.com', 'registry.k8s.io', 'mcr.microsoft.com', 'public.ecr.aws', 'cgr.dev'],
  // Packages of Alpine Linux. Those of Debian come by plain HTTP, for which a build needs an open network.
  'dl-cdn.alpinelinux.org',
];

export const PUBLIC_REGISTRIES = { npm: 'https://registry.npmjs.org', pip: 'https://pypi.org/simple' } as const;

function parseHost(text: string): readonly string[] | undefined {
  const hosts = parseHosts(text);
  return hosts?.length === 1 ? hosts : undefined;
}

export class BuildsSettings extends ModuleSettings {
  @ParsedSetting({
    name: 'BUILD_ALLOWED_HOSTS',
    summary:
      'Comma-separated hosts, such as `npm.internal:4873`, that builds may reach in addition to the public package ' +
      'registries, over http too.',
    example: 'npm.internal:4873',
    parse: parseHosts,
    rule: HOSTS_RULE,
  })
  readonly allowedHosts: readonly string[] = [];

  @ParsedSetting({
    name: 'BUILD_IMAGE_REGISTRIES',
    summary:
      'Comma-separated hosts that base images of Dockerfiles may come from: registries, and the hosts that they send ' +
      'builders to.',
    example: 'registry-1.docker.io,auth.docker.io,production.cloudflare.docker.com',
    parse: parseHosts,
    rule: HOSTS_RULE,
  })
  readonly imageRegistries: readonly string[] = IMAGE_REGISTRIES;

  @ParsedSetting({
    name: 'BUILD_IMAGE_MIRROR',
    summary: 'A mirror of Docker Hub for base images, such as `mirror.internal:5000`, also by http.',
    example: 'mirror.internal:5000',
    parse: parseHost,
    rule: 'must be <host> or <host>:<port>',
  })
  readonly imageMirrors: readonly string[] = [];

  @UrlSetting({
    name: 'BUILD_NPM_REGISTRY',
    summary: 'The npm registry that packages of sandbox executions come from.',
    example: 'https://npm.internal',
  })
  readonly npmRegistry: string = PUBLIC_REGISTRIES.npm;

  @UrlSetting({
    name: 'BUILD_PYTHON_INDEX',
    summary:
      'The package index that Python packages of sandbox executions come from. A host that it sends pip to for the ' +
      'files belongs into `BUILD_ALLOWED_HOSTS`.',
    example: 'https://pypi.internal/simple',
  })
  readonly pythonIndex: string = PUBLIC_REGISTRIES.pip;

  /** The directory of running builds and of their caches. */
  get directory(): string {
    return join(this.config.isolatedHome, 'builds');
  }
}
