import { moreAt } from './more-at.js';

/** The variables that a command had. */
export interface CommandVariables {
  readonly target: 'production' | 'preview';
  readonly isSet: (name: string) => boolean;
}

interface Complaint {
  readonly names: readonly string[];
  /** True when the value may be there and be refused. */
  readonly mayBeInvalid: boolean;
}

const MOST_NAMED = 3;
/** A list of variables stands in the lines after its headline. */
const LONGEST_LIST = 40;

// The lines are untrusted. Names are bounded and begin at a boundary of words, so that no line takes long to search.
const START = '(?<![\\w$.-])';
const NAME = '([A-Z][A-Z0-9_]{1,99})(?![\\w-])';
const ANY_NAME = '([A-Za-z_][A-Za-z0-9_]{1,99})(?!\\w)';
const QUOTE = '["\'`]?';
const VARIABLE = '[Ee]nv(?:ironment)? [Vv]ar(?:iable)?s?';
const ABSENT = '(?:is |was |are )?(?:missing|required|undefined|not (?:set|defined|found|provided|configured))';

/** What tools print of one variable. Each has the name as its only group. */
const SINGLE: readonly RegExp[] = [
  // Prisma
  `nvironment variable not found: ${QUOTE}${NAME}`,
  `annot resolve environment variable: ${QUOTE}${NAME}`,
  // Next.js, its examples, and programs that check by hand
  `[Mm]issing (?:the )?(?:required )?${VARIABLE}:? ${QUOTE}${NAME}`,
  `[Mm]issing (?:required )?(?:process\\.)?env\\.${ANY_NAME}`,
  `(?:process|import\\.meta)\\.env\\.${ANY_NAME}${QUOTE} ${ABSENT}`,
  `${VARIABLE} ${QUOTE}${NAME}${QUOTE} ${ABSENT}`,
  `${START}${NAME}${QUOTE} ${VARIABLE} ${ABSENT}`,
  `no ${QUOTE}${NAME}${QUOTE} env var was found`,
  // SvelteKit
  `"${ANY_NAME}" is not exported by "(?:\\$env|virtual:env)/`,
  // Python: django-environ, decouple
  `Set the ${NAME} environment variable`,
  `UndefinedValueError: ${NAME} not found`,
].map((source) => new RegExp(source));

/** zod with t3-env and by hand, envalid, Astro. */
const HEADLINE = /(?:(invalid)|missing) (?:required )?env(?:ironment)? var(?:iable)?s\b|\[(EnvInvalidVariables)\]/i;
/** `path: [ 'NAME' ]`, `NAME: [ 'Required' ]`, `"NAME"`, `- NAME is missing` and `NAME, OTHER`. */
const LISTED = new RegExp(
  `(?:path"?: ?\\[ ?|^ {0,20}|[{,] {0,20})(?:[-*•] )?${QUOTE}${NAME}${QUOTE}(?=:|,| is |'s | ?[\\]}]|$)`,
  'g',
);
/** Turborepo and others put the name of the task before each line. */
const TASK = /^[\w@/.-]{1,80}:[\w:-]{1,40}: /;
const STACK = /^ {0,20}at /;

/**
 * Says which variables a failed command missed, and where to set them. Null when its last lines name none. A line that
 * only warns is not taken for the reason, and neither is a variable that is set.
 */
export function missingVariable(lastLines: readonly string[], { target, isSet }: CommandVariables): string | null {
  const complaint = complaintOf(lastLines.map((line) => line.replace(TASK, '')));
  if (complaint === null) return null;
  const unset = complaint.names.filter((name) => !isSet(name));
  if (unset.length === 0 && !complaint.mayBeInvalid) return null;
  const names = unset.length > 0 ? unset : complaint.names;
  const [noun, verb, pronoun] = names.length === 1 ? ['variable', 'is', 'it'] : ['variables', 'are', 'each'];
  const why =
    unset.length > 0 ? `${verb} not set for ${target}. Set` : `${verb} set, and refused by the project. Correct`;
  return (
    `the ${noun} ${listed(names)} ${why} ${pronoun} with service env set ${names[0]} --target ${target}, or on the ` +
    `page Variables in the settings of the project.${moreAt('variables')}`
  );
}

/** The last complaint is next to the failure. */
function complaintOf(lines: readonly string[]): Complaint | null {
  for (let index = lines.length - 1; index >= 0; index--) {
    const line = lines[index]!;
    if (/\bwarn/i.test(line)) continue;
    const headline = HEADLINE.exec(line);
    if (headline !== null) {
      const rest = line.slice(headline.index + headline[0].length).replace(/^: ?/, '');
      const names = namesIn([rest, ...lines.slice(index + 1, index + 1 + LONGEST_LIST)]);
      if (names.length > 0) return { names, mayBeInvalid: (headline[1] ?? headline[2]) !== undefined };
    }
    for (const pattern of SINGLE) {
      const name = pattern.exec(line)?.[1];
      if (name !== undefined) return { names: [name], mayBeInvalid: false };
    }
  }
  return null;
}

function namesIn(lines: readonly string[]): string[] {
  const names = new Set<string>();
  for (const line of lines) {
    if (STACK.test(line)) break;
    for (const [, name] of line.matchAll(LISTED)) names.add(name!);
  }
  return [...names];
}

const listed = (names: readonly string[]): string =>
  names.length <= MOST_NAMED
    ? names.join(', ')
    : `${names.slice(0, MOST_NAMED).join(', ')} and ${names.length - MOST_NAMED} more`;
