import { Type } from 'class-transformer';
import { IsArray, IsIn, IsInt, IsOptional, IsString, Min, ValidateNested } from 'class-validator';
import { defineJob } from '../../../platform/background/define-job.js';
import { type Language, LANGUAGES, type SandboxFile, type SandboxLimits } from '../domain/sandbox-runtime.js';
import { SandboxSettings } from '../sandbox.settings.js';

class Limits implements SandboxLimits {
  @IsInt() @Min(1) readonly timeoutMs!: number;
  @IsInt() @Min(1) readonly memoryBytes!: number;
  @IsInt() @Min(1) readonly outputBytes!: number;
}

class File implements SandboxFile {
  @IsString() readonly path!: string;
  @IsString() readonly content!: string;
}

/**
 * One run. Its code goes with the job, which is removed as it ends, and is written nowhere else.
 * Redis writes the job to its append-only file like all it does, and drops it from there when it next rewrites the
 * file.
 */
export class SandboxPayload {
  @IsString() readonly executionId!: string;
  @IsIn(LANGUAGES) readonly language!: Language;
  @IsString() readonly code!: string;
  @IsString() readonly stdin!: string;
  @IsOptional() @IsArray() @ValidateNested({ each: true }) @Type(() => File) readonly files?: File[];
  @ValidateNested() @Type(() => Limits) readonly limits!: Limits;
  /** Unix milliseconds; later nobody waits for the result, so that running it would be for nothing. */
  @IsInt() readonly startBeforeMs!: number;
  /**
   * Beginnings that the database was asked to write, and never said whether it did: unix milliseconds. The code did not
   * run then.
   */
  @IsOptional() @IsArray() @IsInt({ each: true }) readonly triedAtMs?: number[];
  /**
   * The organization that it runs for: the worker writes how it went into `sandbox_executions`, and sends nothing back.
   */
  @IsOptional() @IsString() readonly recordedFor?: string;
}

export const sandboxJob = defineJob({
  name: 'sandbox',
  summary: 'Runs code in the sandbox.',
  payload: SandboxPayload,
  // A run may have had effects that its caller has seen, and the caller is told at once when it failed.
  attempts: 1,
  // One whose worker died before it began runs on another; which one had begun stands in its row.
  redelivers: true,
  backoffMs: 0,
  concurrency: 1,
  concurrencyOf: (settings) => settings.of(SandboxSettings).concurrency,
  // A worker takes runs only while the probe says that it can isolate code.
  startedByModule: true,
});
