import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * All environment variables of the command; no other file reads `process.env`. An empty variable counts as not set.
 */
export interface Environment {
  readonly apiKey: string | undefined;
  readonly url: string | undefined;
  readonly credentialsFile: string;
  /** The program that opens addresses. Undefined means that of the system. */
  readonly browser: string | undefined;
  readonly noColor: boolean;
  /** Undefined when the variable is not set, so that the terminal decides. */
  readonly forceColor: boolean | undefined;
  readonly dumbTerminal: boolean;
}

export function readEnvironment(): Environment {
  const { SERVICE_API_KEY, SERVICE_URL, XDG_CONFIG_HOME, BROWSER, NO_COLOR, FORCE_COLOR, TERM } = process.env;
  return {
    apiKey: SERVICE_API_KEY || undefined,
    url: SERVICE_URL || undefined,
    credentialsFile: join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'service/credentials.json'),
    browser: BROWSER || undefined,
    noColor: Boolean(NO_COLOR),
    forceColor: FORCE_COLOR ? !/^(0|false)$/i.test(FORCE_COLOR) : undefined,
    dumbTerminal: TERM === 'dumb',
  };
}
