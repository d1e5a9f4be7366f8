export const MAX_SESSION_PATH_BYTES = 1_024;

/** True for a relative path that stays in the working directory of a session. It is resolved in its isolation. */
export const isSessionPath = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.isWellFormed() &&
  Buffer.byteLength(value) <= MAX_SESSION_PATH_BYTES &&
  !value.includes('\0') &&
  !value.startsWith('/') &&
  !value.split('/').includes('..');
