/** The longest part of a line that is read. Lines come from the app. */
const LONGEST_LINE = 1_000;

interface Cause {
  readonly said: RegExp;
  /** What it means and what to change. The words are those that the pattern found. */
  readonly text: (word: string) => string;
}

const HOME = String.raw`(?:127\.0\.0\.1|localhost|\[?::1\]?|0\.0\.0\.0)`;
const VARIABLE = '[A-Z][A-Z0-9]{0,30}_[A-Z0-9_]{1,60}';
const DATABASES: Readonly<Record<string, string>> = {
  5432: 'PostgreSQL',
  3306: 'MySQL',
  27017: 'MongoDB',
  6379: 'Redis',
};

const variable = (name: string): string =>
  `It asks for the variable ${name}, which has no value. Add it to the variables of the project.`;

const elsewhere = (port: string): string =>
  `It connects to ${Object.hasOwn(DATABASES, port) ? DATABASES[port]! : 'a server'} on port ${port} of its own ` +
  'machine, where only the app itself runs. Set the variable that has the address of its database, such as ' +
  'DATABASE_URL, in the variables of the project.';

const missingModule = (name: string): string =>
  /^(?:\.|\/|file:)/.test(name)
    ? `It did not find the file ${name.replace(/^(?:file:\/\/)?\/app\//, '')}. Set build_command to one that makes ` +
      'it, or start_command to one that starts the server.'
    : `It did not find the package ${name}. Add it to the dependencies in package.json, and commit the lock file.`;

const CAUSES: readonly Cause[] = [
  {
    said: /\bEROFS\b|read-only file system|readonly database|unable to open database file/i,
    text: () =>
      'It met a file or a directory that is read-only: a server writes new files to its working directory, /tmp and ' +
      '/app/.cache. See /docs/hosting#what-a-server-writes.',
  },
  {
    said: /\b(Bun|Deno) is not defined\b/,
    text: (name) => `It needs ${name}, and servers run on Node.js. Start the app with a server for Node.js.`,
  },
  { said: /Environment variable not found: ([A-Z][A-Z0-9_]{0,90})\b/, text: variable },
  { said: /\bKeyError: '([A-Z][A-Z0-9_]{1,90})'/, text: variable },
  {
    said: new RegExp(
      String.raw`\b(?:[Mm]issing|[Rr]equires?|MISSING)(?: the)?(?: required)?(?: env(?:ironment)?)?(?: variables?)?` +
        String.raw`:? ['"\`]?(${VARIABLE})\b`,
    ),
    text: variable,
  },
  {
    said: new RegExp(
      String.raw`\b(${VARIABLE})['"\`]?(?: env(?:ironment)?)?(?: variable)?(?: is| was|:)? ` +
        String.raw`(?:not (?:set|defined|found|provided|specified|configured)|missing|required|` +
        String.raw`undefined|(?:\[ ?)?['"]?Required)\b`,
    ),
    text: variable,
  },
  {
    said: /parameter to `openUri\(\)` must be a string, got "undefined"/,
    text: () =>
      'It asks for the address of its database, which has no value. Add the variable that it reads, such as ' +
      'MONGODB_URI, to the variables of the project.',
  },
  {
    said: new RegExp(
      [
        String.raw`\bno such table: ([\w.]{1,100})`,
        String.raw`\brelation "([\w.]{1,100})" does not exist`,
        String.raw`\bTable '([\w.]{1,100})' doesn't exist`,
        String.raw`\bThe table \`([\w.]{1,100})\` does not exist`,
      ].join('|'),
    ),
    text: (name) =>
      `Its database has no table ${name}. Create the tables in start_command before the server, with the command that ` +
      'the project has for that, or in build_command.',
  },
  { said: new RegExp(String.raw`ECONNREFUSED ${HOME}:(\d{1,5})\b`), text: elsewhere },
  { said: new RegExp(String.raw`[Cc]an't (?:reach|connect to) .{0,60}[\`'"]${HOME}:(\d{1,5})\b`), text: elsewhere },
  {
    said: new RegExp(String.raw`connection to server at "${HOME}".{0,60} port (\d{1,5}) failed`),
    text: elsewhere,
  },
  {
    said: /\bCannot find (?:module|package) '([^'\s]{1,200})'/,
    text: missingModule,
  },
  {
    said: /\bModuleNotFoundError: No module named '([\w.]{1,100})'/,
    text: (name) =>
      `It did not find the Python module ${name}. Add its package to requirements.txt or pyproject.toml, or set ` +
      'root_directory to the directory of the app.',
  },
  {
    said: /^Servers have no (?:pnpm|yarn), and npm does not run this in its place: (.{1,200})/,
    text: (command) =>
      `Servers have npm only, which does not run "${command}". Set start_command to one that starts the server ` +
      'itself, such as node dist/server.js, and root_directory to its directory.',
  },
  {
    said: /^(?:\/bin\/)?(?:ba)?sh: (?:line )?(?:\d{1,4}: )?([\w./@-]{1,100}): (?:command )?not found/,
    text: (name) =>
      `The program ${name} was not found. Add the package that has it to package.json, or set start_command to a ` +
      'command that needs no other program.',
  },
  {
    said: /\berror (TS\d{4,5}):/,
    text: (code) =>
      `TypeScript refused the program with the error ${code}, whose text is in the log. Correct what it names.`,
  },
];

/** Reads what a server prints while it starts, and finds why it failed. */
export class StartFailure {
  private found: string | null = null;
  private hasPrinted = false;

  line(text: string): void {
    this.hasPrinted = true;
    const read = text.slice(0, LONGEST_LINE);
    for (const { said, text: explain } of CAUSES) {
      const match = said.exec(read);
      if (match === null) continue;
      // The last one counts: a program prints what it ends for at its end.
      this.found = explain(match.slice(1).join(''));
      return;
    }
  }

  /** What to change when the lines do not say why. */
  get usualFix(): string {
    return this.hasPrinted
      ? 'Set start_command if another command starts it.'
      : 'It printed nothing. Check that the project has all variables that it needs, such as those of its .env.example.';
  }

  /** What the lines say and what to change, or null when they say nothing that is known. */
  get reason(): string | null {
    return this.found;
  }
}
