/** A rule for what a request names, whichever way it came. */
export interface Rule<Checked> {
  /** The code of its fault in the API. */
  readonly code: string;
  /** `$property` stands for the field. */
  readonly message: string;
  readonly holds: (checked: Checked) => boolean;
}
