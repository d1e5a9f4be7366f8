import { type BuildPlan } from '../plan/plan-types.js';

/**
 * The input of `inside/pack.cjs`. It names the directories that visitors receive, relative to the packed tree, or the
 * server of a standalone output, because links are not kept in them.
 */
export function packInputOf({ pack, serve }: Pick<BuildPlan, 'pack' | 'serve'>): object {
  return { ...pack, served: serve({ output: '', server: '' }).static.map(({ directory }) => directory) };
}
