/** Which organization a project belongs to. `projects` implements it, which stands above `metering`. */
export abstract class ProjectOwners {
  /** The organization of each project by id, deleted projects included; unknown ids are left out. */
  abstract ownersOf(projectIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
