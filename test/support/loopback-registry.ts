import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface RegistryPackage {
  readonly name: string;
  readonly version: string;
  readonly tarball: Buffer;
}

/** A package that holds the one program `bin/node`. */
export function packageWithNode(version: string, program: string): RegistryPackage {
  const name = `node-linux-${process.arch}`;
  const directory = mkdtempSync(join(tmpdir(), 'registry-package-'));
  try {
    mkdirSync(join(directory, 'package/bin'), { recursive: true });
    writeFileSync(
      join(directory, 'package/package.json'),
      JSON.stringify({ name, version, bin: { node: 'bin/node' }, os: 'linux', cpu: process.arch }),
    );
    writeFileSync(join(directory, 'package/bin/node'), program, { mode: 0o700 });
    return { name, version, tarball: execFileSync('tar', ['-cz', '-C', directory, 'package']) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export const integrityOf = ({ tarball }: RegistryPackage): string =>
  `sha512-${createHash('sha512').update(tarball).digest('base64')}`;

/** An npm registry on a local port, with the endpoints that npm needs to install a package. */
export class LoopbackRegistry {
  url = '';
  /** Number of tarball downloads. */
  downloads = 0;
  /** Only who brings it is served. */
  token: string | undefined;
  /** `cut`: the connection ends in the middle. `held`: nothing comes. `missing`: 404. */
  delivers: 'whole' | 'cut' | 'held' | 'missing' = 'whole';
  private readonly server = createServer((request, response) => {
    this.answer(request, response);
  });

  constructor(readonly offered: RegistryPackage) {}

  async listen(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
    return this;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private answer({ url, headers }: IncomingMessage, response: ServerResponse): void {
    const { name, version, tarball } = this.offered;
    if (this.token !== undefined && headers.authorization !== `Bearer ${this.token}`) {
      response.writeHead(401).end('{}');
    } else if (this.delivers === 'missing') {
      response.writeHead(404).end('{}');
    } else if (url === `/${name}`) {
      const dist = { tarball: `${this.url}${name}.tgz`, integrity: integrityOf(this.offered) };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: { name, version, dist } } }),
      );
    } else {
      this.deliver(tarball, response);
    }
  }

  private deliver(tarball: Buffer, response: ServerResponse): void {
    this.downloads += 1;
    if (this.delivers === 'held') return;
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': tarball.length });
    if (this.delivers === 'whole') response.end(tarball);
    else response.write(tarball.subarray(0, tarball.length / 2), () => response.destroy());
  }
}
