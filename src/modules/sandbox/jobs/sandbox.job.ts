import { Type } from 'class-transformer';
import { IsArray, IsIn, IsInt, IsObject, IsOptional, IsString, Min, ValidateNested } from 'class-validator';
import { PACKAGE_SETS, type PackageEcosystem, type PackageSetName, type WantedPackages } from '../domain/packages.js';
import { defineJob } from '../../../platform/background/define-job.js';
import {
  type Language,
  LANGUAGES,
  type RunOptions,
  type SandboxFile,
  type SandboxLimits,
} from '../domain/sandbox-runtime.js';
import { SandboxSettings } from '../sandbox.settings.js';

class Limits implements SandboxLimits {
  @IsInt() @Min(1) readonly timeoutMs!: number;
  @IsInt() @Min(1) readonly memoryBytes!: number;
  @IsInt() @Min(1) readonly outputBytes!: number;
  @IsOptional() @IsInt() @Min(0) readonly processes?: number;
  @IsOptional() @IsInt() @Min(0) readonly artifactBytes?: number;
}

/** Checked where it was requested. */
export class Packages implements WantedPackages {
  @IsString() readonly id!: string;
  @IsOptional() @IsString() readonly orgId!: string | null;
  @IsIn(['npm', 'pip']) readonly ecosystem!: PackageEcosystem;
  @IsArray() @IsString({ each: true }) readonly packages!: readonly string[];
  @IsOptional() @IsIn(PACKAGE_SETS) readonly set?: PackageSetName;
}

class File implements SandboxFile {
  @IsString() readonly path!: string;
  @IsString() readonly content!: string;
}

/**
 * One run. The code travels only with the job, which is removed when it ends. Redis also writes the job to its
 * append-only file, and drops it from there at the next rewrite of that file.
 */
export class SandboxPayload {
  @IsString() readonly executionId!: string;
  @IsIn(LANGUAGES) readonly language!: Language;
  @IsString() readonly code!: string;
  @IsString() readonly stdin!: string;
  @IsOptional() @IsArray() @ValidateNested({ each: true }) @Type(() => File) readonly files?: File[];
  /** Checked where it was requested. */
  @IsOptional() @IsObject() readonly options?: RunOptions;
  /** Installed by an earlier job, on this worker or another. */
  @IsOptional() @ValidateNested() @Type(() => Packages) readonly packages?: Packages;
  @ValidateNested() @Type(() => Limits) readonly limits!: Limits;
  /** Unix milliseconds. After this time no caller waits for the result, so the code must not run. */
  @IsInt() readonly startBeforeMs!: number;
  /** How long its output is kept after the last of it. Undefined when nobody can follow it. */
  @IsOptional() @IsInt() readonly keepsOutputMs?: number;
  /**
   * Unix milliseconds of earlier attempts to write the start, for which the database never confirmed the commit. The
   * code did not run in any of them.
   */
  @IsOptional() @IsArray() @IsInt({ each: true }) readonly triedAtMs?: number[];
  /**
   * The organization of the execution. The worker then writes the result to `sandbox_executions` and returns nothing.
   */
  @IsOptional() @IsString() readonly recordedFor?: string;
}

export const sandboxJob = defineJob({
  name: 'sandbox',
  summary: 'Runs code in the sandbox.',
  payload: SandboxPayload,
  // There is no retry: a run may have had effects that its caller has seen, and a failure is reported at once.
  attempts: 1,
  // A job whose worker died before the run started moves to another worker; the row says whether it had started.
  redelivers: true,
  backoffMs: 0,
  concurrency: 1,
  concurrencyOf: (settings) => settings.of(SandboxSettings).concurrency,
  // A worker takes runs only while the probe says that it can isolate code.
  startedByModule: true,
  // The way through Redis takes longer than most runs.
  isHandedOver: true,
});
