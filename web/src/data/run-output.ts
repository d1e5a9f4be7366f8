/** The output of a run up to now. */
export interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

export const NO_OUTPUT: Output = { stdout: '', stderr: '' };
