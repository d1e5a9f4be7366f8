import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestApp } from './test-app.js';

const PROGRAMS = {
  aws: '/usr/bin/aws',
  s3cmd: '/usr/bin/s3cmd',
  rclone: '/usr/bin/rclone',
  python: '/usr/bin/python3',
};
const BOTO3 = ['/usr/lib/python3/dist-packages/boto3', '/usr/local/lib/python3/dist-packages/boto3'];

export type S3Program = 'aws' | 's3cmd' | 'rclone' | 'boto3';

/** True when a program for S3 is on this machine, or must be (`REQUIRE_S3_CLIENTS=1`). */
export const mayRun = (program: S3Program): boolean =>
  process.env['REQUIRE_S3_CLIENTS'] === '1' ||
  (program === 'boto3'
    ? existsSync(PROGRAMS.python) && BOTO3.some((path) => existsSync(path))
    : existsSync(PROGRAMS[program]));

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Real programs for S3, each with its own configuration in a directory of the test. */
export class S3Programs {
  readonly directory = mkdtempSync(join(tmpdir(), 's3-programs-'));

  constructor(
    private readonly app: TestApp,
    private readonly pair: { readonly id: string; readonly secret: string },
  ) {}

  get endpoint(): string {
    return `${this.app.url}/s3`;
  }

  /** Returns the path of a file with this content. */
  file(name: string, content: string | Buffer): string {
    const path = join(this.directory, name);
    writeFileSync(path, content);
    return path;
  }

  aws(...command: string[]): Promise<string> {
    return this.ok(PROGRAMS.aws, ['--endpoint-url', this.endpoint, '--region', 'us-east-1', ...command]);
  }

  s3cmd(...command: string[]): Promise<string> {
    const config = this.file(
      's3cfg',
      [
        '[default]',
        `access_key = ${this.pair.id}`,
        `secret_key = ${this.pair.secret}`,
        `host_base = localhost:${this.app.appsPort}`,
        `host_bucket = localhost:${this.app.appsPort}`,
        'use_https = False',
        'bucket_location = us-east-1',
        'multipart_chunk_size_mb = 5',
      ].join('\n'),
    );
    return this.ok(PROGRAMS.s3cmd, ['-c', config, '--no-progress', ...command]);
  }

  rclone(...command: string[]): Promise<string> {
    const config = this.file(
      'rclone.conf',
      [
        '[storage]',
        'type = s3',
        'provider = Other',
        `access_key_id = ${this.pair.id}`,
        `secret_access_key = ${this.pair.secret}`,
        `endpoint = ${this.endpoint}`,
        'region = us-east-1',
        'force_path_style = true',
        'no_check_bucket = true',
        'chunk_size = 5Mi',
        'upload_cutoff = 5Mi',
      ].join('\n'),
    );
    return this.ok(PROGRAMS.rclone, ['--config', config, ...command]);
  }

  /** Runs a program with boto3. `s3` is the client, and `bucket` and `work` are its arguments. */
  boto3(code: string, ...args: string[]): Promise<string> {
    const path = this.file(
      'program.py',
      `
import json, os, sys, boto3
from botocore.config import Config
from boto3.s3.transfer import TransferConfig
s3 = boto3.client('s3', endpoint_url=os.environ['ENDPOINT'], region_name='us-east-1',
                  config=Config(signature_version='s3v4', s3={'addressing_style': 'path'}))
bucket, work = sys.argv[1], sys.argv[2:]
${code}
`,
    );
    return this.ok(PROGRAMS.python, [path, ...args]);
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async ok(program: string, command: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(program, command);
    if (code !== 0) throw new Error(`${program} ${command.join(' ')} ended with ${code}: ${stdout}${stderr}`);
    return stdout;
  }

  private run(program: string, command: string[]): Promise<Ran> {
    const env = {
      PATH: '/usr/bin:/bin',
      HOME: this.directory,
      LANG: 'C.UTF-8',
      AWS_ACCESS_KEY_ID: this.pair.id,
      AWS_SECRET_ACCESS_KEY: this.pair.secret,
      AWS_EC2_METADATA_DISABLED: 'true',
      ENDPOINT: this.endpoint,
    };
    return new Promise((resolve) => {
      execFile(program, command, { env, maxBuffer: 16 * 1_048_576 }, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ code, stdout, stderr: stderr + (code === -1 ? (error?.message ?? '') : '') });
      });
    });
  }
}
