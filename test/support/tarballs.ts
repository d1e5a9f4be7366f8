import { gzipSync } from 'node:zlib';

/** A file: its text, its bytes with a mode, or a link, which is symbolic unless it says otherwise. */
export type TarEntry =
  | string
  | { readonly content: string | Buffer; readonly mode: number }
  | { readonly link: string; readonly hard?: true };

/** A compressed archive with these entries, also with paths that no honest program would write. */
export function tarballOf(entries: readonly (readonly [path: string, entry: TarEntry])[]): Buffer {
  return gzipSync(Buffer.concat([...entries.map(([path, entry]) => tarEntry(path, entry)), Buffer.alloc(1_024)]));
}

/** One file in the format of POSIX (ustar). */
function tarEntry(path: string, entry: TarEntry): Buffer {
  const link = typeof entry === 'object' && 'link' in entry ? entry.link : null;
  const isHard = typeof entry === 'object' && 'hard' in entry;
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
  header.write(link === null ? '0' : isHard ? '1' : '2', 156);
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
