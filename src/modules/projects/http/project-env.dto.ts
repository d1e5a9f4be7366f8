import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsString,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { MaxBytes } from '../../../platform/http/max-bytes.js';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta } from '../../../platform/http/page.js';
import { inOrder } from '../../../platform/text/text-fields.js';
import { isEnvName, isReservedEnvName } from '../env/env-names.js';
import type { SetEnvVariableInput, ShownVariable } from '../project-env.service.js';
import { ENV_TARGETS, type EnvTarget } from '../project-settings.js';

const MAX_VALUE_BYTES = 65_536;
const MAX_IN_A_CALL = 200;

const NAME = { pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$', example: 'DATABASE_URL' };
const TARGETS = {
  enum: ENV_TARGETS,
  isArray: true,
  example: ['production'],
  description:
    'production: deploys of the production branch. preview: all other deploys. ' + 'development: local development.',
};

const IsEnvName = (): PropertyDecorator =>
  inOrder(
    IsString(),
    ValidateBy({
      name: 'isEnvName',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && isEnvName(value),
        defaultMessage: () => 'name must be 1 to 128 letters, digits and underscores, and must not begin with a digit',
      },
    }),
    ValidateBy({
      name: 'isNotReserved',
      validator: {
        validate: (value: unknown) => typeof value !== 'string' || !isReservedEnvName(value),
        defaultMessage: () => 'name is reserved: the platform sets it, or it would change how programs start',
      },
    }),
  );

const IsEnvValue = (): PropertyDecorator =>
  inOrder(
    IsString(),
    MaxBytes(MAX_VALUE_BYTES),
    ValidateBy({
      name: 'isEnvValue',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && !/[\0\p{Cs}]/u.test(value),
        defaultMessage: () => 'value must be valid text without NUL',
      },
    }),
  );

const AreDifferent = (): PropertyDecorator =>
  ValidateBy({
    name: 'areDifferent',
    validator: {
      validate: (variables: unknown) => !Array.isArray(variables) || areDifferent(variables as (object | null)[]),
      defaultMessage: () => 'variables must not set the same variable twice for a target',
    },
  });

/** Accepts any values, because the rules for each variable run after this one. */
function areDifferent(variables: readonly ({ name?: unknown; targets?: unknown } | null)[]): boolean {
  const places = variables.flatMap((variable) =>
    Array.isArray(variable?.targets) ? variable.targets.map((target) => JSON.stringify([target, variable.name])) : [],
  );
  return new Set(places).size === places.length;
}

class EnvVariableBody implements SetEnvVariableInput {
  @ApiProperty(NAME)
  @IsEnvName()
  readonly name!: string;

  @ApiProperty({
    example: 'postgres://shop:secret@db.example.org/shop',
    description: `At most ${MAX_VALUE_BYTES} bytes of UTF-8, without NUL.`,
  })
  @IsEnvValue()
  readonly value!: string;

  @ApiProperty(TARGETS)
  @IsArray()
  @ArrayMinSize(1)
  @ArrayUnique()
  @IsIn(ENV_TARGETS, { each: true })
  readonly targets!: EnvTarget[];

  @ApiPropertyOptional({
    example: true,
    type: Boolean,
    description: 'If true, the default, the value is never shown. If false, it can be read again.',
  })
  @MayBeAbsent()
  @IsBoolean()
  readonly secret: boolean = true;
}

export class SetEnvBody {
  @ApiProperty({
    type: [EnvVariableBody],
    maxItems: MAX_IN_A_CALL,
    description: 'A target can have up to 200 variables, and 1 MiB of names and values.',
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_IN_A_CALL)
  @AreDifferent()
  @ValidateNested({ each: true })
  @Type(() => EnvVariableBody)
  readonly variables!: EnvVariableBody[];
}

export class RemoveEnvQuery {
  @ApiProperty({ ...NAME, description: 'The name of the variable.' })
  @IsEnvName()
  readonly name!: string;

  @ApiPropertyOptional({ example: 'preview', enum: ENV_TARGETS, description: 'Left out: all targets.' })
  @MayBeAbsent()
  @IsIn(ENV_TARGETS)
  readonly target?: EnvTarget;
}

export class EnvVariableView {
  @ApiProperty({ example: 'DATABASE_URL' }) name!: string;
  @ApiProperty({
    enum: ENV_TARGETS,
    isArray: true,
    description: 'The targets that share this value. A variable with different values is listed once for each.',
  })
  targets!: EnvTarget[];
  @ApiProperty() secret!: boolean;
  @ApiProperty({ format: 'date-time' }) updated_at!: string;
  @ApiPropertyOptional({ type: String, description: 'The value; absent for a secret.' }) value?: string;

  static of({ name, targets, secret, updatedAt, value }: ShownVariable): EnvVariableView {
    return {
      name,
      targets: [...targets],
      secret,
      updated_at: updatedAt.toISOString(),
      ...(value === undefined ? {} : { value }),
    };
  }
}

export class EnvAnswer {
  @ApiProperty({ type: [EnvVariableView] }) data!: EnvVariableView[];
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
