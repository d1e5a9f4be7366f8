import assert from 'node:assert';

const BLOCK = 512;
const LONGEST_NAME = 100;

export interface TarEntry {
  readonly name: string;
  readonly content: Buffer;
}

/**
 * Returns files as an archive without an end, so that archives can follow each other. `tar --ignore-zeros` reads them
 * as one.
 */
export function tarOf(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat(
    entries.flatMap(({ name, content }) => [
      headerOf(name, content.length),
      content,
      Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK),
    ]),
  );
}

function headerOf(name: string, bytes: number): Buffer {
  assert(Buffer.byteLength(name) <= LONGEST_NAME, 'a name of an archive is too long');
  const header = Buffer.alloc(BLOCK);
  const write = (text: string, at: number): number => header.write(text, at, 'latin1');
  write(name, 0);
  write('0000600\0', 100);
  write('0000000\0', 108);
  write('0000000\0', 116);
  write(`${bytes.toString(8).padStart(11, '0')}\0`, 124);
  write('00000000000\0', 136);
  // The checksum counts its own field as spaces.
  write('        ', 148);
  write('0', 156);
  write('ustar\0', 257);
  write('00', 263);
  const sum = header.reduce((total, byte) => total + byte, 0);
  write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}
