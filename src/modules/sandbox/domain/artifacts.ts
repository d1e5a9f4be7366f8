/** The directory of a program whose files are kept. */
export const ARTIFACTS_DIRECTORY = '/artifacts';
export const MAX_ARTIFACTS = 50;
/** The most that any plan allows, and the size of the directory. */
export const MAX_ARTIFACT_BYTES = 100 * 1024 * 1024;
export const ARTIFACT_HOURS = 24;
/** What is not kept is named so many times. */
export const MAX_ARTIFACT_ERRORS = 20;

/** Why a file is not kept, in words for its author. */
export const ARTIFACT_FAULTS = {
  too_large: 'The files together are larger than the plan allows.',
  too_many: `There are more than ${MAX_ARTIFACTS} files, or too many entries.`,
  too_deep: 'The directory is too deep.',
  not_a_file: 'It is neither a regular file nor a directory.',
  invalid_name: 'The name is too long, not UTF-8, or has a character that not every system allows in names.',
  unreadable: 'The program has made it unreadable.',
  not_stored: 'It could not be stored in time.',
  not_sent: 'The program was ended, or ended itself by force, before its files were sent.',
} as const;

export type ArtifactFault = keyof typeof ARTIFACT_FAULTS;

/** A file that is not kept, or no file in particular. */
export interface ArtifactError {
  readonly path?: string;
  readonly code: ArtifactFault;
  readonly message: string;
}

export const artifactError = (code: ArtifactFault, path?: string): ArtifactError => ({
  ...(path === undefined ? {} : { path: shownPath(path) }),
  code,
  message: ARTIFACT_FAULTS[code],
});

/** A file that is kept. */
export interface KeptArtifact {
  readonly id: string;
  readonly path: string;
  readonly sizeBytes: number;
  /** The type that its name suggests. */
  readonly type: string;
  /** In hexadecimal. */
  readonly sha256: string;
  readonly expiresAt: string;
}

/** What became of the files of an execution. */
export interface ExecutionArtifacts {
  readonly kept: readonly KeptArtifact[];
  readonly errors: readonly ArtifactError[];
}

/** A file that a program has left, before its content. */
export interface SentFile {
  /** Passes {@link isArtifactPath}. */
  readonly path: string;
  readonly sizeBytes: number;
}

/** Takes the files of one program, one after the other: each begins, and then all of its content comes in pieces. */
export interface ArtifactSink {
  /** Never throws. */
  begin(file: SentFile): void;
  /** Resolves when it has room for more. Never rejects. */
  take(piece: Buffer): Promise<void>;
}

const MAX_PATH_BYTES = 500;
const MAX_DEPTH = 16;
const MAX_SHOWN = 200;
/** Neither controls and invisible characters nor what some systems forbid. */
const NAME = /^[^\p{C}\p{Zl}\p{Zp}\\/:*?"<>|]{1,255}$/u;

/** True when every system can have a file with this path, relative to a directory, inside of that directory. */
export function isArtifactPath(path: string): boolean {
  const names = path.split('/');
  return (
    Buffer.byteLength(path) <= MAX_PATH_BYTES &&
    names.length <= MAX_DEPTH &&
    names.every((name) => NAME.test(name) && !/^[. ]+$/.test(name) && !/[. ]$/.test(name))
  );
}

/** A path of any bytes, as text for people. */
const shownPath = (path: string): string => path.slice(0, MAX_SHOWN).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\uFFFD');
