import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mayRun, type S3Program, S3Programs } from '../support/s3-programs.js';
import { Storing } from '../support/storing.js';
import { useApp } from '../support/test-app.js';

/** Each starts many times, and one start of a program in Python takes a second. */
jest.setTimeout(120_000);

/** A name of this machine, because s3cmd takes no path before the bucket. */
const app = useApp({ STORAGE_DOMAIN: 'localhost' });
const storage = new Storing(app);
const NAME = 'dir/a b ü+%.txt';
const LARGE = randomBytes(12 * 1_048_576 + 123);
let programs: S3Programs;

beforeAll(async () => {
  await storage.begin('pro');
  programs = new S3Programs(app, await storage.accessKey());
});
afterAll(() => {
  programs.remove();
});

/** Without the program the test is skipped, unless CI requires it (`REQUIRE_S3_CLIENTS=1`). */
const withProgram = (program: S3Program): jest.It => (mayRun(program) ? it : it.skip);

const target = async (): Promise<string> => (await storage.bucket()).label as string;
const read = (name: string): Buffer => readFileSync(join(programs.directory, name));

/** A directory with a few files, and the names in it. */
function tree(name: string): string {
  const path = join(programs.directory, name);
  mkdirSync(join(path, 'deep'), { recursive: true });
  programs.file(`${name}/one.txt`, 'one');
  programs.file(`${name}/deep/two.txt`, 'two');
  return path;
}

withProgram('aws')('serves the AWS CLI', async () => {
  const bucket = await target();
  const small = programs.file('aws-small', 'hello');
  const large = programs.file('aws-large', LARGE);
  await programs.aws('s3', 'cp', small, `s3://${bucket}/${NAME}`);
  await programs.aws('s3', 'cp', large, `s3://${bucket}/large`);
  expect(await programs.aws('s3', 'ls', `s3://${bucket}/`)).toMatch(/PRE dir\/[\s\S]*large/);
  await programs.aws('s3', 'cp', `s3://${bucket}/large`, join(programs.directory, 'aws-back'));
  expect(read('aws-back').equals(LARGE)).toBe(true);
  await programs.aws('s3', 'cp', `s3://${bucket}/${NAME}`, `s3://${bucket}/copy`);
  // Tags are not supported, and this program would copy them with a large object.
  const withoutTags = ['--copy-props', 'metadata-directive'];
  await programs.aws('s3', 'cp', ...withoutTags, `s3://${bucket}/large`, `s3://${bucket}/large-copy`);
  const url = (await programs.aws('s3', 'presign', `s3://${bucket}/copy`, '--expires-in', '60')).trim();
  expect(await (await fetch(url)).text()).toBe('hello');
  await programs.aws('s3', 'sync', tree('aws-tree'), `s3://${bucket}/tree`);
  const again = await programs.aws('s3', 'sync', join(programs.directory, 'aws-tree'), `s3://${bucket}/tree`);
  expect(again).toBe('');
  await programs.aws('s3', 'sync', `s3://${bucket}/tree`, join(programs.directory, 'aws-tree-back'));
  expect(read('aws-tree-back/deep/two.txt').toString()).toBe('two');
  await programs.aws('s3', 'rm', '--recursive', `s3://${bucket}/`);
  expect(await programs.aws('s3', 'ls', '--recursive', `s3://${bucket}/`).catch(() => '')).toBe('');
  await programs.aws('s3', 'rb', `s3://${bucket}`);
  await programs.aws('s3', 'mb', 's3://made-by-aws');
  expect(await programs.aws('s3', 'ls')).toMatch(/made-by-aws/);
});

withProgram('s3cmd')('serves s3cmd', async () => {
  const bucket = await target();
  const small = programs.file('s3cmd-small', 'hello');
  const large = programs.file('s3cmd-large', LARGE);
  await programs.s3cmd('put', small, `s3://${bucket}/${NAME}`);
  await programs.s3cmd('put', large, `s3://${bucket}/large`);
  expect(await programs.s3cmd('ls', `s3://${bucket}/`)).toMatch(/DIR[\s\S]*large/);
  await programs.s3cmd('get', `s3://${bucket}/large`, join(programs.directory, 's3cmd-back'));
  expect(read('s3cmd-back').equals(LARGE)).toBe(true);
  await programs.s3cmd('cp', `s3://${bucket}/${NAME}`, `s3://${bucket}/copy`);
  await programs.s3cmd('sync', `${tree('s3cmd-tree')}/`, `s3://${bucket}/tree/`);
  const again = await programs.s3cmd('sync', `${join(programs.directory, 's3cmd-tree')}/`, `s3://${bucket}/tree/`);
  expect(again).not.toMatch(/upload:/);
  mkdirSync(join(programs.directory, 's3cmd-tree-back'));
  await programs.s3cmd('sync', `s3://${bucket}/tree/`, `${join(programs.directory, 's3cmd-tree-back')}/`);
  expect(read('s3cmd-tree-back/deep/two.txt').toString()).toBe('two');
  await programs.s3cmd('del', '--recursive', '--force', `s3://${bucket}/`);
  expect(await programs.s3cmd('ls', '--recursive', `s3://${bucket}/`)).toBe('');
  await programs.s3cmd('rb', `s3://${bucket}`);
});

withProgram('rclone')('serves rclone', async () => {
  const bucket = await target();
  const at = `storage:${bucket}`;
  programs.file('rclone-large', LARGE);
  await programs.rclone('copyto', programs.file('rclone-small', 'hello'), `${at}/${NAME}`);
  await programs.rclone('copyto', join(programs.directory, 'rclone-large'), `${at}/large`);
  expect((await programs.rclone('lsf', '-R', at)).trim().split('\n').sort()).toEqual(['dir/', NAME, 'large'].sort());
  await programs.rclone('copyto', `${at}/large`, join(programs.directory, 'rclone-back'));
  expect(read('rclone-back').equals(LARGE)).toBe(true);
  await programs.rclone('copyto', `${at}/${NAME}`, `${at}/copy`);
  const url = (await programs.rclone('link', '--expire', '60s', `${at}/copy`)).trim();
  expect(await (await fetch(url)).text()).toBe('hello');
  await programs.rclone('sync', tree('rclone-tree'), `${at}/tree`);
  await programs.rclone('check', join(programs.directory, 'rclone-tree'), `${at}/tree`);
  await programs.rclone('sync', `${at}/tree`, join(programs.directory, 'rclone-tree-back'));
  expect(read('rclone-tree-back/deep/two.txt').toString()).toBe('two');
  await programs.rclone('delete', at);
  expect(await programs.rclone('lsf', '-R', '--files-only', at)).toBe('');
});

withProgram('boto3')('serves boto3', async () => {
  const bucket = await target();
  programs.file('boto3-large', LARGE);
  const out = await programs.boto3(
    `
name, large, back = 'dir/a b ü+%.txt', work[0], work[1]
s3.put_object(Bucket=bucket, Key=name, Body=b'hello', Metadata={'by': 'ada'}, ContentType='text/plain')
head = s3.head_object(Bucket=bucket, Key=name)
parts = TransferConfig(multipart_threshold=5 * 2**20, multipart_chunksize=5 * 2**20)
s3.upload_file(large, bucket, 'large', Config=parts)
s3.download_file(bucket, 'large', back, Config=parts)
s3.copy_object(Bucket=bucket, Key='copy', CopySource={'Bucket': bucket, 'Key': name})
s3.copy({'Bucket': bucket, 'Key': 'large'}, bucket, 'large-copy', Config=parts)
listed = s3.list_objects_v2(Bucket=bucket, Delimiter='/')
url = s3.generate_presigned_url('get_object', Params={'Bucket': bucket, 'Key': 'copy'}, ExpiresIn=60)
upload = s3.generate_presigned_url('put_object', Params={'Bucket': bucket, 'Key': 'linked'}, ExpiresIn=60)
paged = s3.get_paginator('list_objects_v2').paginate(Bucket=bucket, PaginationConfig={'PageSize': 2})
pages = [key['Key'] for page in paged for key in page['Contents']]
print(json.dumps({'metadata': head['Metadata'], 'type': head['ContentType'],
  'prefixes': [p['Prefix'] for p in listed['CommonPrefixes']],
                  'pages': pages, 'url': url, 'upload': upload}))
`,
    bucket,
    join(programs.directory, 'boto3-large'),
    join(programs.directory, 'boto3-back'),
  );
  const seen = JSON.parse(out) as Record<string, string>;
  expect(seen).toMatchObject({
    metadata: { by: 'ada' },
    type: 'text/plain',
    prefixes: ['dir/'],
    pages: ['copy', NAME, 'large', 'large-copy'],
  });
  expect(read('boto3-back').equals(LARGE)).toBe(true);
  expect(await (await fetch(seen['url']!)).text()).toBe('hello');
  expect((await fetch(seen['upload']!, { method: 'PUT', body: 'linked' })).status).toBe(200);
  const gone = await programs.boto3(
    `
keys = [{'Key': key['Key']} for key in s3.list_objects_v2(Bucket=bucket)['Contents']]
deleted = s3.delete_objects(Bucket=bucket, Delete={'Objects': keys})['Deleted']
print(len(deleted), s3.list_objects_v2(Bucket=bucket)['KeyCount'])
`,
    bucket,
  );
  expect(gone.trim()).toBe('5 0');
});
