/** A file of an upload whose content git has stored. */
export interface UploadedFile {
  /** The path from the root, separated by `/`. It has no control characters. */
  readonly path: string;
  /** The hash that git gave the content. */
  readonly objectId: string;
  readonly executable: boolean;
}

/** The date is fixed, so that the same files always give the same commit. */
const AUTHOR = 'Upload <no-reply@localhost> 0 +0000';

/** Generates a commit without parents in the format of `git fast-import`. */
export function* commitImportOf(files: readonly UploadedFile[], ref: string): Generator<Buffer> {
  const message = `Upload of ${files.length} ${files.length === 1 ? 'file' : 'files'}\n`;
  yield Buffer.from(`commit ${ref}\ncommitter ${AUTHOR}\ndata ${Buffer.byteLength(message)}\n${message}`);
  for (const { path, objectId, executable } of files)
    yield Buffer.from(`M ${executable ? '100755' : '100644'} ${objectId} ${quoted(path)}\n`);
  yield Buffer.from('\ndone\n');
}

/** Within quotes, git takes all bytes as they are but these two. */
const quoted = (path: string): string => `"${path.replace(/["\\]/g, '\\$&')}"`;
