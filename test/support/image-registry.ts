import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

/** An entry of a layer, of any type that the format has. */
interface LayerEntry {
  readonly name: string;
  /** The type flag of tar: a file if left out, `1` and `2` for links, `3` for a device, `5` for a directory. */
  readonly type?: '0' | '1' | '2' | '3' | '5' | '6';
  readonly content?: Buffer | string;
  readonly mode?: number;
  readonly linkTo?: string;
}

interface TestImage {
  readonly layers: readonly (readonly LayerEntry[])[];
  readonly os?: string;
  readonly architecture?: string;
  readonly config?: object;
  /** True to serve a list of images, of which none is for this machine. */
  readonly isForOthers?: boolean;
  /** True to serve layers that do not have the announced hash. */
  readonly isBroken?: boolean;
}

const INDEX = 'application/vnd.oci.image.index.v1+json';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const CONFIG = 'application/vnd.oci.image.config.v1+json';
const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';
const TOKEN = 'token-of-the-test';

const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** A registry of container images on a local port: version 2 of its API, with tokens. */
export class ImageRegistry {
  readonly requests: string[] = [];
  private readonly blobs = new Map<string, Buffer>();
  private readonly manifests = new Map<string, { readonly type: string; readonly bytes: Buffer }>();
  private readonly server = createServer((request, response) => {
    this.answer(request, response);
  });

  async listen(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  /**
   * The host and port for a build. Inside of it, 127.0.0.1 is the build itself, and the builder asks no proxy for it.
   * It does for this address, which leads here from outside.
   */
  get host(): string {
    return `0.0.0.0:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  /** Adds an image, and returns what FROM names it by. */
  add(name: string, { layers, os = 'linux', architecture = ARCHITECTURE, ...image }: TestImage): string {
    const tars = layers.map(tarOf);
    const zipped = tars.map((tar) => gzipSync(tar, { level: 1 }));
    const config = Buffer.from(
      JSON.stringify({
        os,
        architecture,
        config: { Env: ['PATH=/bin'], ...image.config },
        rootfs: { type: 'layers', diff_ids: tars.map(digestOf) },
        history: tars.map(() => ({ created_by: 'test' })),
      }),
    );
    for (const blob of zipped)
      this.blobs.set(digestOf(blob), image.isBroken === true ? Buffer.alloc(blob.length) : blob);
    this.blobs.set(digestOf(config), config);
    const bytes = Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: MANIFEST,
        config: { mediaType: CONFIG, digest: digestOf(config), size: config.length },
        layers: zipped.map((blob) => ({ mediaType: LAYER, digest: digestOf(blob), size: blob.length })),
      }),
    );
    this.manifests.set(digestOf(bytes), { type: MANIFEST, bytes });
    const index = Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: INDEX,
        manifests: [
          {
            mediaType: MANIFEST,
            digest: digestOf(bytes),
            size: bytes.length,
            platform: { os: 'windows', architecture: ARCHITECTURE },
          },
        ],
      }),
    );
    this.manifests.set(
      `${name}:latest`,
      image.isForOthers === true ? { type: INDEX, bytes: index } : { type: MANIFEST, bytes },
    );
    return `${this.host}/${name}`;
  }

  private answer({ url = '', headers, method }: IncomingMessage, response: ServerResponse): void {
    this.requests.push(`${method} ${url}`);
    if (url.startsWith('/token')) {
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ token: TOKEN, expires_in: 300 }));
      return;
    }
    if (headers.authorization !== `Bearer ${TOKEN}`) {
      const challenge = `Bearer realm="http://${this.host}/token",service="test"`;
      response.writeHead(401, { 'www-authenticate': challenge, 'content-type': 'application/json' }).end('{}');
      return;
    }
    const [, name, kind, reference] = /^\/v2\/([\w/-]+)\/(manifests|blobs)\/([\w:.-]+)$/.exec(url) ?? [];
    const manifest =
      kind === 'manifests' ? (this.manifests.get(`${name}:${reference}`) ?? this.manifests.get(reference!)) : undefined;
    const blob = kind === 'blobs' ? this.blobs.get(reference!) : undefined;
    if (url === '/v2/') response.end('{}');
    else if (manifest !== undefined)
      response
        .writeHead(200, {
          'content-type': manifest.type,
          'content-length': manifest.bytes.length,
          'docker-content-digest': digestOf(manifest.bytes),
        })
        .end(method === 'HEAD' ? undefined : manifest.bytes);
    else if (blob !== undefined) response.writeHead(200, { 'content-length': blob.length }).end(blob);
    else
      response
        .writeHead(404, { 'content-type': 'application/json' })
        .end(JSON.stringify({ errors: [{ code: 'MANIFEST_UNKNOWN', message: 'manifest unknown' }] }));
  }
}

const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'amd64';

const BLOCK = 512;

/** Returns an archive in the format of POSIX tar. Names are taken as they are, because hostile ones are tested. */
function tarOf(entries: readonly LayerEntry[]): Buffer {
  const parts = entries.flatMap(({ name, type = '0', content = '', mode, linkTo = '' }) => {
    const bytes = Buffer.from(content as string);
    const header = Buffer.alloc(BLOCK);
    const octal = (value: number, at: number, length: number): void => {
      header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
    };
    header.write(name, 0, 100, 'latin1');
    octal(mode ?? (type === '5' ? 0o755 : 0o644), 100, 8);
    octal(0, 108, 8);
    octal(0, 116, 8);
    octal(type === '0' ? bytes.length : 0, 124, 12);
    octal(0, 136, 12);
    header.write('        ', 148, 'latin1');
    header.write(type, 156, 'latin1');
    header.write(linkTo, 157, 100, 'latin1');
    header.write('ustar\x0000', 257, 'latin1');
    octal(1, 329, 8);
    octal(3, 337, 8);
    octal(
      header.reduce((sum, byte) => sum + byte, 0),
      148,
      7,
    );
    return type === '0' ? [header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)] : [header];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}
