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

/** The reason why a build has no result. The user reads the message. */
export class BuildFailed extends Error {
  override readonly name = 'BuildFailed';

  constructor(
    readonly code: BuildFailureCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
