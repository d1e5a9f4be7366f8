/** A file of the first commit of a repository. */
export interface CommittedFile {
  /** The path from the root of the repository, separated by `/`. */
  readonly path: string;
  readonly content: Buffer;
  readonly executable: boolean;
}

export interface FirstCommit {
  readonly message: string;
  readonly at: Date;
  readonly files: readonly CommittedFile[];
}

const AUTHOR = 'Service platform <no-reply@localhost>';

/** Generates the commit in the format of `git fast-import`, so that no file has to be written first. */
export function* importOf({ message, at, files }: FirstCommit, branch: string): Generator<Buffer> {
  yield Buffer.from(`commit refs/heads/${branch}\ncommitter ${AUTHOR} ${Math.floor(at.getTime() / 1_000)} +0000\n`);
  yield dataOf(Buffer.from(`${message}\n`));
  for (const { path, content, executable } of files) {
    // A quoted path would need escapes; template paths have no such characters.
    if (!/^[\w.[\]()+@-][\w./[\]()+@-]*$/.test(path))
      throw new Error(`A template contains a file with an unsupported name: ${path}.`);
    yield Buffer.from(`M ${executable ? '100755' : '100644'} inline ${path}\n`);
    yield dataOf(content);
  }
}

const dataOf = (content: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`data ${content.length}\n`), content, Buffer.from('\n')]);
