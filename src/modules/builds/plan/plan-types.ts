import { type Built } from '../built.js';

export const SOURCE = '/work/source';

/** A directory to collect; all paths are those inside. */
export interface PackedDirectory {
  readonly from: string;
  readonly to: string;
  /** Links may lead anywhere in here; where it is not said, in `from`. */
  readonly tree?: string;
  /** As users call the tree. */
  readonly named: string;
  readonly except: readonly string[];
  /** Files whose name begins with a dot are for the repository, not for visitors. */
  readonly site: boolean;
}

/** What `inside/pack.cjs` is told. */
interface PackPlan {
  readonly within: string;
  /** The first of them that is there. */
  readonly candidates: readonly PackedDirectory[];
  readonly more: readonly PackedDirectory[];
  /** The server of Next.js is to be looked for in it. */
  readonly standalone: boolean;
}

export interface BuildPlan {
  readonly framework: string;
  /** Null where no program is to be run. */
  readonly nodeVersion: string | null;
  /** The root directory of the application, as a path inside. */
  readonly root: string;
  readonly install: { readonly command: string; readonly directory: string; readonly cacheKey: string | null } | null;
  readonly build: string | null;
  readonly environment: Readonly<Record<string, string>>;
  /** Directories that make the next build faster. */
  readonly frameworkCaches: { readonly within: string; readonly paths: readonly string[] };
  /** Whether builds of this framework leave `node_modules` as it is, so that packages need not be copied for them. */
  readonly leavesModulesAlone: boolean;
  readonly pack: PackPlan;
  readonly serve: (facts: {
    readonly output: string;
    readonly server: string | null;
  }) => Pick<Built, 'kind' | 'server' | 'static'>;
}
