import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsObject, ValidateBy, ValidateNested } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { WallClock } from '../../../platform/time/wall-clock.js';
import { JSX_MODES, type JsxMode, type RunOptions, type TypeScriptOptions } from '../domain/sandbox-runtime.js';

const MAX_ARGUMENTS = 64;
const MAX_VARIABLES = 64;
/** The limit of all arguments together, and of all variables with their names. */
const MAX_BYTES = 32_768;
const VARIABLE_NAME = /^[A-Za-z_]\w{0,99}$/;

/** A program gets them as bytes of UTF-8 that end at the first NUL. */
const isPlainText = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\0');

const fits = (texts: readonly string[]): boolean =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) <= MAX_BYTES;

const Holds = (name: string, validate: (value: unknown) => boolean, message: string): PropertyDecorator =>
  ValidateBy({ name, validator: { validate, defaultMessage: () => message } });

function isVariables(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length <= MAX_VARIABLES &&
    entries.every(([name, content]) => VARIABLE_NAME.test(name) && isPlainText(content)) &&
    fits(entries.flat() as string[])
  );
}

/** A tag with a language that this service has data for. */
function isLocale(value: unknown): boolean {
  try {
    return typeof value === 'string' && Intl.DateTimeFormat.supportedLocalesOf(value).length === 1;
  } catch {
    return false;
  }
}

const isTypeScript = (request: object | undefined): boolean =>
  (request as { readonly language?: unknown } | undefined)?.language === 'typescript';

class TypeScriptBody implements TypeScriptOptions {
  @ApiPropertyOptional({
    description: 'Decorators as they were before ECMAScript had its own, as in tsconfig.json. Default: false.',
    example: false,
  })
  @MayBeAbsent()
  @IsBoolean()
  readonly experimental_decorators?: boolean;

  @ApiPropertyOptional({
    enum: JSX_MODES,
    example: 'react-jsx',
    description:
      'Reads the code as TSX: `react` calls `React.createElement`, and `react-jsx` imports `react/jsx-runtime`. ' +
      'Without it, code that is only valid as TSX is read as with `react`.',
  })
  @MayBeAbsent()
  @IsIn(JSX_MODES)
  readonly jsx?: JsxMode;
}

/** How the code is run. */
export abstract class RunOptionsBody {
  @ApiPropertyOptional({
    type: [String],
    maxItems: MAX_ARGUMENTS,
    example: ['--verbose', 'input.txt'],
    description: 'Arguments of the program, at most 32 KiB of UTF-8 in total.',
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(MAX_ARGUMENTS)
  @Holds(
    'isArguments',
    (value) => !Array.isArray(value) || (value.every(isPlainText) && fits(value)),
    `args must be strings without NUL, at most ${MAX_BYTES} bytes of UTF-8 in total`,
  )
  readonly args?: string[];

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string' },
    maxProperties: MAX_VARIABLES,
    example: { LOG_LEVEL: 'debug' },
    description: 'Environment variables of the program, at most 32 KiB of UTF-8 in total with their names.',
  })
  @MayBeAbsent()
  @IsObject()
  @Holds(
    'isVariables',
    isVariables,
    `env must have at most ${MAX_VARIABLES} variables, named by letters, digits and "_", whose values are strings ` +
      `without NUL, at most ${MAX_BYTES} bytes of UTF-8 in total`,
  )
  readonly env?: Record<string, string>;

  @ApiPropertyOptional({
    type: String,
    example: 'Europe/Berlin',
    description: 'Local time of the program, by its name in the time zone database. Default: UTC.',
  })
  @MayBeAbsent()
  @Holds(
    'isTimeZone',
    (value) => typeof value === 'string' && WallClock.in(value) !== undefined,
    'timezone must be a name of the time zone database, such as Europe/Berlin',
  )
  readonly timezone?: string;

  @ApiPropertyOptional({
    type: String,
    example: 'de-DE',
    description:
      'Locale of the program, as a BCP 47 tag. JavaScript and TypeScript format by it; Python gets `LANG` and ' +
      '`LC_ALL`. Needs a new sandbox, which takes about 30 ms longer to start.',
  })
  @MayBeAbsent()
  @Holds('isLocale', isLocale, 'locale must be a BCP 47 tag of a known language, such as de-DE')
  readonly locale?: string;

  @ApiPropertyOptional({
    type: TypeScriptBody,
    example: { experimental_decorators: true },
    description: 'How TypeScript is transformed. Other languages ignore it.',
  })
  @MayBeAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => TypeScriptBody)
  readonly typescript?: TypeScriptBody;

  @ApiPropertyOptional({
    type: Boolean,
    example: false,
    description:
      'Checks the types of TypeScript before the program starts, with `strict` and the types of Node. A program with ' +
      'errors does not start: its status is `failed`, and `error.diagnostics` lists them. The check takes one to two ' +
      'seconds, which count as time of the run.',
  })
  @MayBeAbsent()
  @IsBoolean()
  @ValidateBy({
    name: 'isChecked',
    validator: {
      validate: (value: unknown, args) => value !== true || isTypeScript(args?.object),
      defaultMessage: () =>
        'check must be false or absent unless language is typescript: only its types can be checked',
    },
  })
  readonly check?: boolean;

  get options(): RunOptions {
    const { args, env: environment, timezone: timeZone, locale, typescript, check } = this;
    return {
      ...(args === undefined ? {} : { args }),
      ...(environment === undefined ? {} : { environment }),
      ...(timeZone === undefined ? {} : { timeZone }),
      ...(locale === undefined ? {} : { locale }),
      ...(typescript === undefined ? {} : { typescript }),
      ...(check === true ? { check } : {}),
    };
  }
}
