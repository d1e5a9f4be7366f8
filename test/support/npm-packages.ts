import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

/** A file of a package: its text, its bytes with a mode, or a symbolic link. */
type Entry = string | { readonly content: string | Buffer; readonly mode: number } | { readonly link: string };

export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  readonly files: Readonly<Record<string, Entry>>;
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
    if (tarball !== undefined) response.end(tarballOf(tarball));
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
      const integrity = `sha512-${createHash('sha512').update(tarballOf(each)).digest('base64')}`;
      const dist = { tarball: `${this.url}/files/${fileOf(each)}`, integrity };
      return [version, { ...manifest, name, version, dependencies, dist }] as const;
    });
    const { name, version } = offered.at(-1)!;
    return { name, 'dist-tags': { latest: version }, versions: Object.fromEntries(versions) };
  }
}

const fileOf = ({ name, version }: NpmPackage): string => `${name.replaceAll('/', '-')}-${version}.tgz`;

function tarballOf({ name, version, files, dependencies = {}, manifest = {} }: NpmPackage): Buffer {
  const about = JSON.stringify({ ...manifest, name, version, dependencies });
  const entries: [string, Entry][] = [['package.json', about], ...Object.entries(files)];
  return gzipSync(
    Buffer.concat([...entries.map(([path, entry]) => tarEntry(`package/${path}`, entry)), Buffer.alloc(1_024)]),
  );
}

/** One file in the format of POSIX (ustar). */
function tarEntry(path: string, entry: Entry): Buffer {
  const link = typeof entry === 'object' && 'link' in entry ? entry.link : null;
  const { content, mode } =
    typeof entry === 'string'
      ? { content: entry, mode: 0o644 }
      : 'link' in entry
        ? { content: '', mode: 0o777 }
        : entry;
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(512);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;
  header.write(path, 0);
  header.write(octal(mode, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(bytes.length, 12), 124);
  header.write(octal(0, 12), 136);
  header.write(' '.repeat(8), 148);
  header.write(link === null ? '0' : '2', 156);
  if (link !== null) header.write(link, 157);
  header.write('ustar\0' + '00', 257);
  header.write(
    octal(
      header.reduce((sum, byte) => sum + byte, 0),
      7,
    ) + ' ',
    148,
  );
  return Buffer.concat([header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}
