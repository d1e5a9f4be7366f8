import { type Language, type RunOptions, type SandboxFile } from '../domain/sandbox-runtime.js';

/** What an interpreter gets beside the code and its files. */
export interface WorkOptions extends Pick<RunOptions, 'args' | 'typescript' | 'check'> {
  /** Variables in addition to those that the interpreter was started with. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The last expression and figures of Python are shown. */
  readonly results?: boolean;
  /** What is sent of the files in `/artifacts`. */
  readonly artifacts?: { readonly files: number; readonly bytes: number };
  /** Sentences for errors about what this sandbox does not allow. */
  readonly refusals?: Refusals;
}

export interface Refusals {
  readonly processes?: string;
  readonly workers?: string;
  readonly sockets?: string;
}

/**
 * Encodes what an interpreter reads from its pipe: a line with the language, the number of files and the byte length of
 * the options; the options as JSON; for each file, a line with the byte lengths of its path and content, followed by
 * both; then the code. The program inside the sandbox writes the files, so the host never opens a path from a caller.
 */
export function workOf(
  language: Language,
  code: string,
  files: readonly SandboxFile[],
  options: WorkOptions = {},
): Buffer {
  const encoded = Buffer.from(JSON.stringify(options));
  return Buffer.concat([
    Buffer.from(`${language} ${files.length} ${encoded.length}\n`),
    encoded,
    ...files.flatMap(({ path, content }) => {
      const [name, bytes] = [Buffer.from(path), Buffer.from(content)];
      return [Buffer.from(`${name.length} ${bytes.length}\n`), name, bytes];
    }),
    Buffer.from(code),
  ]);
}
