/** The host that this process is. */
export abstract class OperatingHost {
  /** Its id in `database_hosts`, or undefined until it has one. */
  abstract readonly id: string | undefined;
}
