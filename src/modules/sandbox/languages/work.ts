import { type Language, type SandboxFile } from '../domain/sandbox-runtime.js';

/**
 * Encodes what an interpreter reads from its pipe: a line with the language and the number of files; for each file, a
 * line with the byte lengths of its path and content, followed by both; then the code. The program inside the sandbox
 * writes the files, so the host never opens a path from a caller.
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
