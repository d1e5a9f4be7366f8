/** A factor that was just added. */
export interface AddedFactor {
  readonly id: string;
  /** The first factor comes with recovery codes, which are returned only once. */
  readonly recoveryCodes: readonly string[] | undefined;
}
