import { BuildFailed } from '../build-failed.js';
import { moreAt } from '../plan/more-at.js';

/** The facts about the Dockerfile of a source. The text is null when the file is larger than {@link LARGEST_BYTES}. */
export interface DockerfileFacts {
  readonly bytes: number;
  readonly text: string | null;
}

/** What a Dockerfile asks for, as far as the build has to know it. */
export interface DockerfilePlan {
  /** The names of all `ARG` instructions. Variables of the project with these names are passed to the build. */
  readonly args: readonly string[];
  /** Remarks for the log. */
  readonly notes: readonly string[];
}

interface Instruction {
  readonly name: string;
  readonly rest: string;
  /** The number of its first line. */
  readonly line: number;
}

const LARGEST_BYTES = 65_536;
const MOST_INSTRUCTIONS = 200;
const KNOWN = new Set([
  ...['FROM', 'RUN', 'CMD', 'LABEL', 'MAINTAINER', 'EXPOSE', 'ENV', 'ADD', 'COPY', 'ENTRYPOINT', 'VOLUME', 'USER'],
  ...['WORKDIR', 'ARG', 'ONBUILD', 'STOPSIGNAL', 'HEALTHCHECK', 'SHELL'],
]);
/** The system and architecture of this machine, in the words of images. */
export const PLATFORM = { os: 'linux', architecture: process.arch === 'arm64' ? 'arm64' : 'amd64' } as const;
const SECRET = /(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|PRIVATE_KEY|API_KEY|CREDENTIALS?)(?:_|$)/i;
const NAME = /^[A-Za-z_]\w{0,199}$/;

/**
 * Checks what can be known about a Dockerfile before the build, so that its refusal names the line. The builder itself
 * reads the file again and refuses the rest.
 *
 * @throws {BuildFailed} `dockerfile_refused`
 */
export function dockerfilePlan(facts: DockerfileFacts | null): DockerfilePlan {
  if (facts === null)
    throw refused(
      'Found no Dockerfile. Expected is a file with this name in the root directory of the project. ' +
        'Add it, or set the root directory.',
    );
  if (facts.text === null)
    throw refused(
      `Found a Dockerfile of ${facts.bytes} bytes. Expected are at most ${LARGEST_BYTES}. ` +
        'Move long commands to scripts that the Dockerfile copies.',
    );
  const instructions = instructionsOf(facts.text);
  if (!instructions.some(({ name }) => name === 'FROM'))
    throw refused(
      'The Dockerfile has no FROM instruction. Expected is one that names the base image, such as FROM node:22-slim.',
    );
  if (instructions.length > MOST_INSTRUCTIONS)
    throw refused(
      `The Dockerfile has ${instructions.length} instructions. Expected are at most ${MOST_INSTRUCTIONS}. ` +
        'Join RUN instructions with &&.',
    );
  for (const instruction of instructions) requireSupported(instruction);
  const declared = instructions.filter(({ name }) => name === 'ARG').map(({ rest }) => rest);
  const args = declared
    .flatMap((rest) => rest.split(/\s+/).map((part) => part.split('=')[0]!))
    .filter((name) => NAME.test(name));
  return { args: [...new Set(args)], notes: notesOf(facts.text, instructions) };
}

function requireSupported({ name, rest, line }: Instruction): void {
  const at = `Line ${line} of the Dockerfile`;
  if (!KNOWN.has(name))
    throw refused(
      `${at} has the instruction ${name.slice(0, 40)}, which is not known. ` +
        'Expected is one such as FROM, COPY or RUN. ' +
        'Correct the line.',
    );
  if ((name === 'RUN' || name === 'COPY' || name === 'ADD') && /(?:^|\s)<<-?["']?[A-Za-z_]/.test(rest))
    throw refused(`${at} has a here-document, which is not supported. Put its text into a file, and use COPY.`);
  if (name === 'ADD' && /(?:^|[\s"'])(?:https?|ftp|git|ssh):\/\/|(?:^|[\s"'])git@/i.test(rest))
    throw refused(
      `${at} adds from a URL. Expected is a path of the repository. Add the file to the repository, or fetch it with ` +
        'RUN and the build network of the project set to open.',
    );
  const mount = /--mount=\S*type=(secret|ssh)/.exec(rest);
  if (name === 'RUN' && mount !== null)
    throw refused(
      `${at} mounts a ${mount[1]}, and builds have none. Set a variable of the project, and declare it by ARG.`,
    );
  const [, option] = (name === 'RUN' ? /--(security|device)=/.exec(rest) : null) ?? [];
  if (option !== undefined) throw refused(`${at} has the option --${option}, which is not supported. Remove it.`);
  const [, platform] = (name === 'FROM' ? /--platform=(\S+)/.exec(rest) : null) ?? [];
  if (platform !== undefined && !platform.includes('$')) requirePlatform(platform, at);
}

function requirePlatform(platform: string, at: string): void {
  const [os, architecture] = platform.toLowerCase().split('/');
  if (os === PLATFORM.os && (architecture === undefined || architecture === PLATFORM.architecture)) return;
  throw refused(
    `${at} asks for an image of ${platform.slice(0, 60)}. Expected is ${PLATFORM.os}/${PLATFORM.architecture}. ` +
      'Remove --platform.',
  );
}

function notesOf(text: string, instructions: readonly Instruction[]): string[] {
  const notes = [];
  if (/^#\s*syntax\s*=/im.test(text.slice(0, 1_000)))
    notes.push('The line "# syntax=" of the Dockerfile is not used: there is one builder.');
  const named = instructions
    .filter(({ name }) => name === 'ARG' || name === 'ENV')
    .flatMap(({ rest }) => rest.split(/[\s=]/).slice(0, 1))
    .filter((name) => NAME.test(name) && SECRET.test(name));
  for (const name of [...new Set(named)].slice(0, 5))
    notes.push(`${name} looks like a secret. What ARG and ENV hold can be read in the image and by its server.`);
  if (instructions.some(({ name }) => name === 'VOLUME'))
    notes.push('VOLUME has no effect: the files of the server are read-only, and /tmp can be written to.');
  return notes;
}

/** Joins continued lines, and leaves comments out. Each character is looked at a fixed number of times. */
function instructionsOf(text: string): Instruction[] {
  const escape = /^#\s*escape\s*=\s*`/im.test(text.slice(0, 1_000)) ? '`' : '\\';
  const found: Instruction[] = [];
  let parts: string[] = [];
  let first = 0;
  const finish = (): void => {
    const whole = parts.join(' ').trim();
    parts = [];
    if (whole === '') return;
    const end = whole.search(/\s/);
    const name = (end === -1 ? whole : whole.slice(0, end)).toUpperCase();
    found.push({ name, rest: end === -1 ? '' : whole.slice(end).trim(), line: first });
  };
  text.split(/\r?\n/).forEach((line, index) => {
    const trimmed = line.trim();
    if (trimmed.startsWith('#') || (trimmed === '' && parts.length > 0)) return;
    if (parts.length === 0) first = index + 1;
    const isContinued = trimmed.endsWith(escape);
    parts.push(isContinued ? trimmed.slice(0, -1) : trimmed);
    if (!isContinued) finish();
  });
  finish();
  return found;
}

export const refused = (message: string): BuildFailed =>
  new BuildFailed('dockerfile_refused', `${message}${moreAt('dockerfile')}`);
