import { moreAt } from './plan/more-at.js';

/** The user can act on each code except `isolation_unavailable`, which is for the operator. */
export type BuildFailureCode =
  | 'repository_unreachable'
  | 'ref_not_found'
  | 'root_directory_not_found'
  | 'framework_not_found'
  | 'dockerfile_refused'
  | 'node_version_unavailable'
  | 'install_failed'
  | 'build_failed'
  | 'build_timed_out'
  | 'out_of_memory'
  | 'too_many_processes'
  | 'disk_full'
  | 'output_not_found'
  | 'output_too_large'
  | 'isolation_unavailable';

/** Where each failure is explained. A message that already has a link, to a place that is more exact, keeps it. */
const EXPLAINED_AT: Readonly<Record<BuildFailureCode, Parameters<typeof moreAt>[0]>> = {
  repository_unreachable: 'fetching',
  ref_not_found: 'fetching',
  root_directory_not_found: 'root-directory',
  framework_not_found: 'framework',
  dockerfile_refused: 'dockerfile',
  node_version_unavailable: 'node-versions',
  install_failed: 'packages',
  build_failed: 'failed-commands',
  build_timed_out: 'limits',
  out_of_memory: 'limits',
  too_many_processes: 'limits',
  disk_full: 'disk',
  output_not_found: 'output',
  output_too_large: 'output',
  isolation_unavailable: 'unavailable',
};

export const BUILD_FAILURE_CODES = Object.keys(EXPLAINED_AT) as BuildFailureCode[];

/** The reason why a build has no result. The user reads the message, which ends with a link. */
export class BuildFailed extends Error {
  override readonly name = 'BuildFailed';

  constructor(
    readonly code: BuildFailureCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message.includes(' See /docs/') ? message : `${message}${moreAt(EXPLAINED_AT[code])}`, options);
  }
}
