import { isDatabaseUnavailable } from '../platform/database/database-unavailable.js';

/** What PostgreSQL answers to a wrong password, a role or a database that it does not have. */
const REFUSED = /^(28|3D)/;

/** An error that ends the process, in words for the person who started it: which setting to look at. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  if (isDatabaseUnavailable(error))
    return `The PostgreSQL that DATABASE_URL names cannot be reached (${code ?? error.message}).`;
  if (code !== undefined && REFUSED.test(code))
    return `The PostgreSQL that DATABASE_URL names refuses us: ${error.message}.`;
  return error.message;
}

interface ListenAddress {
  readonly host?: string;
  readonly port?: number;
  /** What to change: `PORT`. */
  readonly setting: string;
}

/** Why the port cannot be opened. */
export function explainListening(error: NodeJS.ErrnoException, { host = '', port = 0, setting }: ListenAddress): Error {
  const explanations: Record<string, string> = {
    EADDRINUSE: `Port ${port} is in use. Set ${setting} to another one, or stop what uses it.`,
    EACCES: `Port ${port} is not ours to open. Set ${setting} to one above 1023.`,
    EADDRNOTAVAIL: `HOST is no address of this machine: ${host}.`,
    ENOTFOUND: `HOST is no address of this machine: ${host}.`,
  };
  return new Error(explanations[error.code ?? ''] ?? error.message, { cause: error });
}
