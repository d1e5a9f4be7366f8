import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * All environment variables of the command; no other file reads `process.env`. An empty variable counts as not set.
 */
export interface Environment {
  readonly apiKey: string | undefined;
  readonly url: string | undefined;
  readonly credentialsFile: string;
}

export function readEnvironment(): Environment {
  const { SERVICE_API_KEY, SERVICE_URL, XDG_CONFIG_HOME } = process.env;
  return {
    apiKey: SERVICE_API_KEY || undefined,
    url: SERVICE_URL || undefined,
    credentialsFile: join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'service/credentials.json'),
  };
}
