import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

import { tarballOf } from './tarballs.js';

/** A file of a wheel: its text, or a symbolic link, as archives keep them. */
type WheelEntry = string | { readonly linkTo: string };

export interface PythonPackage {
  readonly name: string;
  readonly version: string;
  /** What is in the wheel, by its path there. */
  readonly files: Readonly<Record<string, WheelEntry>>;
  readonly requires?: readonly string[];
  /** Offered as source instead of a wheel: what is in its archive beside the lines about it. */
  readonly isSource?: true;
}

/** Returns a wheel, which is a ZIP file with the modules and a few lines about them (PEP 427). */
function wheelOf({ name, version, files, requires = [] }: PythonPackage): Buffer {
  const about = `${name}-${version}.dist-info`;
  const metadata = [
    'Metadata-Version: 2.1',
    `Name: ${name}`,
    `Version: ${version}`,
    ...requires.map((each) => `Requires-Dist: ${each}`),
    '',
  ];
  return zipOf({
    ...files,
    [`${about}/METADATA`]: metadata.join('\n'),
    [`${about}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${about}/RECORD`]: '',
  });
}

/** Returns a source archive, which pip would have to build. */
function sourceOf({ name, version, files }: PythonPackage): Buffer {
  const about = `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`;
  const entries = Object.entries({ 'PKG-INFO': about, ...files });
  return tarballOf(entries.map(([path, entry]) => [`${name}-${version}/${path}`, entry]));
}

const fileNameOf = ({ name, version, isSource }: PythonPackage): string =>
  isSource === true ? `${name}-${version}.tar.gz` : `${name}-${version}-py3-none-any.whl`;

export const wheelHashOf = (each: PythonPackage): string =>
  `sha256:${createHash('sha256').update(wheelOf(each)).digest('hex')}`;

/** An index of Python packages on a local port, with the pages that pip reads (PEP 503). */
export class PackageIndex {
  /** The paths that were requested. */
  readonly requests: string[] = [];
  private readonly server = createServer(({ url = '' }, response) => {
    this.requests.push(url);
    const found = this.offered.find((each) => url === `/simple/${each.name}/` || url.endsWith(`/${fileNameOf(each)}`));
    if (found === undefined) response.writeHead(404).end();
    else if (url.endsWith('.whl')) response.end(wheelOf(found));
    else if (url.endsWith('.tar.gz')) response.end(sourceOf(found));
    else {
      const name = fileNameOf(found);
      response.setHeader('content-type', 'text/html');
      response.end(`<!doctype html><a href="/files/${name}">${name}</a>`);
    }
  });

  constructor(private readonly offered: readonly PythonPackage[]) {}

  async listen(): Promise<this> {
    // Inside of a build, 127.0.0.1 is the build itself.
    this.server.listen(0, '127.0.0.2');
    await once(this.server, 'listening');
    return this;
  }

  get host(): string {
    return `127.0.0.2:${(this.server.address() as AddressInfo).port}`;
  }

  /** The value of pip's `PIP_INDEX_URL`. */
  get url(): string {
    return `http://${this.host}/simple`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

/** Returns a ZIP file whose entries are not compressed. */
function zipOf(files: Readonly<Record<string, WheelEntry>>): Buffer {
  const entries: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, entryOf] of Object.entries(files)) {
    const [path, content] = [Buffer.from(name), Buffer.from(typeof entryOf === 'string' ? entryOf : entryOf.linkTo)];
    const facts = Buffer.alloc(26);
    // Version 2.0, no flags, stored, midnight of 1980-01-01.
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(0x21, 8);
    facts.writeUInt32LE(crc32(content), 10);
    facts.writeUInt32LE(content.length, 14);
    facts.writeUInt32LE(content.length, 18);
    facts.writeUInt16LE(path.length, 22);
    const entry = Buffer.concat([Buffer.from('PK\u0003\u0004'), facts, path, content]);
    const tail = Buffer.alloc(14);
    // The mode of a regular file, which all may read, or of a link, whose content is its target.
    tail.writeUInt32LE(((typeof entryOf === 'string' ? 0o100644 : 0o120777) << 16) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    const made = Buffer.from([20, 3]);
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002'), made, facts, tail, path]));
    entries.push(entry);
    offset += entry.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(index.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...entries, index, Buffer.from('PK\u0005\u0006'), end]);
}
