import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import 'reflect-metadata';
import { Config } from '../../src/platform/config/config.js';
import { type SettingDeclaration, settingsDeclaredBy } from '../../src/platform/config/setting.js';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { MODULE_SETTINGS } from '../../src/roles/settings.js';

const LINE_LENGTH = 120;

interface Group {
  readonly title: string;
  readonly file: string;
  readonly settings: readonly (SettingDeclaration & { readonly default: string })[];
}

/** Returns the settings of the process, and then those of each module. */
export function settingGroups(): readonly Group[] {
  const files = readdirSync(join(PROJECT_ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?:\.settings|\/config)\.ts$/.test(name))
    .map((name) => join(PROJECT_ROOT, 'src', name));
  return [Config, ...MODULE_SETTINGS].map((settings) => {
    const file = files.find((path) => readFileSync(path, 'utf8').includes(`export class ${settings.name} `))!;
    const defaults = new (settings as unknown as new (config: object) => Record<string, unknown>)({});
    return {
      title: settings === Config ? 'Process' : titleOf(settings.name),
      file: relative(PROJECT_ROOT, file),
      settings: settingsDeclaredBy(settings).map((each) => ({ ...each, default: textOf(defaults[each.property]) })),
    };
  });
}

const titleOf = (className: string): string => className.replace(/Settings$/, '').replace('Github', 'GitHub');

/** Returns an empty text if there is no value or its format is special; the description then explains it. */
const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

const meaningOf = ({ summary, unset }: SettingDeclaration): string =>
  unset === undefined ? summary : `${summary} Unset, ${unset}.`;

const valuesOf = ({ allowed, unit }: SettingDeclaration): string =>
  unit === undefined ? allowed : `${allowed} ${unit}`;

/** `docs/configuration.md` */
export function configurationPage(): string {
  return `# Configuration

You set the service up with environment variables. Without any it runs on this machine, for you alone.

\`\`\`sh
PORT=8080 LOG_LEVEL=warn npm start
\`\`\`

A file \`.env\` in the directory of the project does the same: copy [.env.example](../.env.example) and
remove the \`#\` of the settings that you change. Environment variables override the file. An empty value means the
default. The service reports all invalid settings at once before anything starts, and never shows a value.

This page is generated from the settings classes, by
\`UPDATE_CONFIGURATION=1 npm test -- --testPathPatterns drift/configuration\`.

${settingGroups().map(sectionOf).join('\n')}`;
}

const sectionOf = ({ title, file, settings }: Group): string => `## ${title}

Declared in \`${file}\`.

| Variable | Default | Values | Meaning |
|---|---|---|---|
${settings.map((each) => `${rowOf(each)}\n`).join('')}`;

function rowOf(setting: Group['settings'][number]): string {
  const { name, default: value, see } = setting;
  const more = see === undefined ? '' : ` See [${see.replace(/^\.\.\/|#.*/g, '')}](${see}).`;
  const cells = [`\`${name}\``, value === '' ? '' : `\`${value}\``, valuesOf(setting), `${meaningOf(setting)}${more}`];
  return `|${cells.map((cell) => (cell === '' ? ' |' : ` ${cell} |`)).join('')}`;
}

/** `.env.example` */
export function environmentExample(): string {
  return `# Settings of the service. Copy this file to \`.env\`, which \`npm start\` reads, and remove the \`#\` of the
# settings that you change. Environment variables override the file, and \`NAME=\` means the default. The values here
# are the defaults, or examples if there is no default. docs/configuration.md has the same list.

${settingGroups().map(exampleOf).join('\n')}`;
}

const exampleOf = ({ title, settings }: Group): string =>
  `# ---- ${title}\n\n${settings
    .map((each) => {
      const values = valuesOf(each);
      const text = `${meaningOf(each)}${values === '' ? '' : ` (${values})`}`.replaceAll('`', '');
      return `${commentOf(text)}# ${each.name}=${each.default === '' ? (each.example ?? '') : each.default}\n`;
    })
    .join('')}`;

/** Indents all lines after the first, so that none looks like a setting. */
function commentOf(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    if (lines.at(-1)!.length + word.length > LINE_LENGTH - 6) lines.push('');
    lines[lines.length - 1] += `${lines.at(-1) === '' ? '' : ' '}${word}`;
  }
  return lines.map((line, index) => `${index === 0 ? '# ' : '#   '}${line}\n`).join('');
}
