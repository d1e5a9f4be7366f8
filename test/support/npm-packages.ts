import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { type TarEntry, tarballOf } from './tarballs.js';

export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  /** The files by their paths in the package. One that begins with `/` is written to the tarball as it is. */
  readonly files: Readonly<Record<string, TarEntry>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  /** What package.json says beside name, version and dependencies. */
  readonly manifest?: object;
}

/** An npm registry on a local port that serves packages made for a test, also ones that no other would serve. */
export class NpmPackages {
  /** The paths that were requested. */
  readonly requests: string[] = [];
  private readonly server = createServer(({ url = '' }, response) => {
    this.requests.push(url);
    const path = decodeURIComponent(url);
    const offered = this.offered.filter(({ name }) => path === `/${name}`);
    const tarball = this.offered.find((each) => path === `/files/${fileOf(each)}`);
    if (tarball !== undefined) response.end(filesOf(tarball));
    else if (offered.length === 0) response.writeHead(404).end('{}');
    else {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(this.packumentOf(offered)));
    }
  });

  constructor(private readonly offered: NpmPackage[]) {}

  async listen(): Promise<this> {
    // Inside of a build, 127.0.0.1 is the build itself.
    this.server.listen(0, '127.0.0.2');
    await once(this.server, 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.2:${(this.server.address() as AddressInfo).port}`;
  }

  /** Offers one more package from now on. */
  offer(each: NpmPackage): void {
    this.offered.push(each);
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private packumentOf(offered: readonly NpmPackage[]): object {
    const versions = offered.map((each) => {
      const { name, version, dependencies = {}, manifest = {} } = each;
      const integrity = `sha512-${createHash('sha512').update(filesOf(each)).digest('base64')}`;
      const dist = { tarball: `${this.url}/files/${fileOf(each)}`, integrity };
      return [version, { ...manifest, name, version, dependencies, dist }] as const;
    });
    const { name, version } = offered.at(-1)!;
    return { name, 'dist-tags': { latest: version }, versions: Object.fromEntries(versions) };
  }
}

const fileOf = ({ name, version }: NpmPackage): string => `${name.replaceAll('/', '-')}-${version}.tgz`;

function filesOf({ name, version, files, dependencies = {}, manifest = {} }: NpmPackage): Buffer {
  const about = JSON.stringify({ ...manifest, name, version, dependencies });
  const entries: [string, TarEntry][] = [['package.json', about], ...Object.entries(files)];
  return tarballOf(entries.map(([path, entry]) => [path.startsWith('/') ? path : `package/${path}`, entry]));
}
