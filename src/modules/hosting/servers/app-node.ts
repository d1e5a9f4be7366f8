import { nodeLines, nodeProgram } from '../../../platform/isolation/node-programs.js';

/** The program of a release line of Node on this machine; undefined when there is none. A manifest that does not care has the newest. */
export function nodeOf(version: string | null): string | undefined {
  return nodeProgram(version ?? nodeLines()[0]!);
}
