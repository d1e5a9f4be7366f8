import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * What the command reads from its environment; nothing else here may touch `process.env`. Set to nothing means not set.
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
