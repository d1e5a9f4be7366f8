import { type Language, type SandboxFile } from '../domain/sandbox-runtime.js';

/**
 * What an interpreter is given through its pipe: a line of the language and the number of files; each file as a line of
 * the bytes of its path and content, and then both; the code. It is the program inside that writes the files: the host
 * opens no path that a caller has named.
 */
export function workOf(language: Language, code: string, files: readonly SandboxFile[]): Buffer {
  return Buffer.concat([
    Buffer.from(`${language} ${files.length}\n`),
    ...files.flatMap(({ path, content }) => {
      const [name, bytes] = [Buffer.from(path), Buffer.from(content)];
      return [Buffer.from(`${name.length} ${bytes.length}\n`), name, bytes];
    }),
    Buffer.from(code),
  ]);
}
