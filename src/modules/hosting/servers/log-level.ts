/** `system` is for lines of the platform, the others for what a server prints. */
export const APP_LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'system'] as const;
export type AppLogLevel = (typeof APP_LOG_LEVELS)[number];

export type AppLogStream = 'stdout' | 'stderr' | 'system';

/** Loggers write the level near the beginning of a line. The bound keeps the cost of a line small. */
const SEARCHED = 512;
const KEYS = ['"level":', '"severity":'];
/** After the key, at most one space and one quotation mark. */
const VALUE = /^ ?"?([A-Za-z]{1,9}|\d{2})\b/;

const NAMES: Readonly<Record<string, AppLogLevel>> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warn: 'warn',
  warning: 'warn',
  error: 'error',
  fatal: 'error',
  critical: 'error',
  alert: 'error',
  emergency: 'error',
  // The numbers of pino and Bunyan.
  '10': 'debug',
  '20': 'debug',
  '30': 'info',
  '40': 'warn',
  '50': 'error',
  '60': 'error',
};

/**
 * Returns the level of a line: the one that a JSON line names in `level` or `severity`, else `info` for standard output
 * and `error` for standard error.
 */
export function levelOf(stream: AppLogStream, text: string): AppLogLevel {
  if (stream === 'system') return 'system';
  return (
    (text.startsWith('{') ? levelIn(text.slice(0, SEARCHED)) : undefined) ?? (stream === 'stdout' ? 'info' : 'error')
  );
}

function levelIn(text: string): AppLogLevel | undefined {
  for (const key of KEYS) {
    const at = text.indexOf(key);
    if (at === -1) continue;
    const name = VALUE.exec(text.slice(at + key.length, at + key.length + 12))?.[1]?.toLowerCase();
    if (name !== undefined && Object.hasOwn(NAMES, name)) return NAMES[name];
  }
  return undefined;
}
