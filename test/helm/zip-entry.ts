import { inflateRawSync } from 'node:zlib';

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER_BYTES = 30;
const DEFLATED = 8;

/** @returns the content of a deflated file in a ZIP archive without a comment. */
export function zipEntry(archive: Buffer, name: string): Buffer {
  const end = archive.length - 22;
  if (archive.readUInt32LE(end) !== END_OF_DIRECTORY) throw new Error('This is no ZIP archive, or one with a comment.');
  let at = archive.readUInt32LE(end + 16);
  while (archive.readUInt32LE(at) === DIRECTORY_ENTRY) {
    const nameBytes = archive.readUInt16LE(at + 28);
    if (archive.toString('utf8', at + 46, at + 46 + nameBytes) === name) return contentAt(archive, at);
    at += 46 + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  throw new Error(`The archive has no ${name}.`);
}

function contentAt(archive: Buffer, entry: number): Buffer {
  if (archive.readUInt16LE(entry + 10) !== DEFLATED) throw new Error('The file is not deflated.');
  const header = archive.readUInt32LE(entry + 42);
  const from = header + LOCAL_HEADER_BYTES + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  return inflateRawSync(archive.subarray(from, from + archive.readUInt32LE(entry + 20)));
}
