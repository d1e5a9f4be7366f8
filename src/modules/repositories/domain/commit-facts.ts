import { trimEnd } from '../../../platform/text/trim.js';

/** The longest message that is kept; the column has the same limit. */
const MAX_MESSAGE = 200;

/** What is shown of a commit besides its hash. */
export interface CommitFacts {
  readonly sha: string;
  /** The first line of its message, shortened; null when it has none. */
  readonly message: string | null;
  /** Null when it is unknown. */
  readonly committedAt: Date | null;
}

/** The last moment that a JavaScript date can represent, in seconds. Authors can claim any time. */
const LAST_SECOND = 8_640_000_000_000;
/** PostgreSQL and RFC 3339 end with the year 9999. */
const LATEST = Date.UTC(9999, 11, 31);

/** Returns the first line without control characters, shortened to what is kept; null when nothing is left. */
export function messageOf(text: string): string | null {
  const line = (/^[^\r\n]*/.exec(text.trimStart())?.[0] ?? '').replace(/[\p{Cc}\p{Cs}]/gu, '');
  // Git cuts a long message between bytes, which leaves a part of a character.
  const characters = Array.from(trimEnd(line, '\ufffd').trim());
  if (characters.length === 0) return null;
  return characters.length <= MAX_MESSAGE ? characters.join('') : `${characters.slice(0, MAX_MESSAGE - 1).join('')}…`;
}

/** Returns the time of these seconds since 1970, or null when no calendar shows it. */
export function timeOfSeconds(seconds: number): Date | null {
  if (!Number.isSafeInteger(seconds) || seconds < 0 || seconds > LAST_SECOND) return null;
  const ms = seconds * 1_000;
  return ms > LATEST ? null : new Date(ms);
}

/** Reads lines of hash, seconds and message, separated by spaces. Lines of another form are left out. */
export function readCommits(output: string): CommitFacts[] {
  return output.split('\n').flatMap((line) => {
    const [, sha, seconds, message] = /^([0-9a-f]{40}|[0-9a-f]{64}) (\d{1,15}) (.*)$/u.exec(line) ?? [];
    if (sha === undefined) return [];
    return [{ sha, message: messageOf(message ?? ''), committedAt: timeOfSeconds(Number(seconds)) }];
  });
}
