import { MOST_FILES } from './uploads';

export interface PlacedFile {
  /** With the folders that it was in, such as `photos/2026/beach.jpg`. */
  readonly path: string;
  readonly file: File;
}

/** The files of a drop, those in folders too. */
export async function droppedFiles(transfer: DataTransfer): Promise<PlacedFile[]> {
  // The list is gone after the first wait.
  const items = [...transfer.items].filter(({ kind }) => kind === 'file');
  const entries = items.flatMap((item) => item.webkitGetAsEntry() ?? []);
  // What a script or another page has made is a file without a place in a folder.
  if (entries.length === 0) return [...transfer.files].map((file) => ({ path: file.name, file }));
  const found: PlacedFile[] = [];
  for (const entry of entries) await collect(entry, '', found);
  return found;
}

async function collect(entry: FileSystemEntry, above: string, found: PlacedFile[]): Promise<void> {
  if (found.length >= MOST_FILES) return;
  const path = above + entry.name;
  if (entry.isFile) {
    found.push({ path, file: await fileOf(entry as FileSystemFileEntry) });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // Browsers give a folder in pieces of a hundred.
  for (let some = await entriesOf(reader); some.length > 0; some = await entriesOf(reader)) {
    for (const each of some) await collect(each, `${path}/`, found);
  }
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => {
    entry.file(resolve, reject);
  });

const entriesOf = (reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> =>
  new Promise((resolve, reject) => {
    reader.readEntries(resolve, reject);
  });

/** The files of a field, with their folders where a folder was chosen. */
export const chosenFiles = (list: FileList | null): PlacedFile[] =>
  [...(list ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
