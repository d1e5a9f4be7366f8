/**
 * `npm run bench:objects [-- rounds] [seconds] [gibibytes]`: object storage beside its peers, per second of processor
 * time, and what completing an upload of so many gibibytes takes. `-- 1 1 1` tries everything once, in two minutes.
 *
 * s3rver keeps files in a directory, without rows or a sync. nginx serves files; it is left out where it is not
 * installed. All of them take turns in the same run, with the same callers, whose time does not count. What the
 * service spends on its own while nobody calls is measured first, and is part of all figures.
 */
import '../../scripts/on-pinned-node.mjs';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { cpuOf, descendantsOf, freePort, median, ROOT, startService } from '../service.mjs';
import { hashOf, SignedCaller } from './signed-caller.mjs';

const [rounds = 5, seconds = 3, gibibytes = 5] = process.argv.slice(2).map(Number);
const KIBIBYTE = 1_024;
const MEBIBYTE = KIBIBYTE * KIBIBYTE;
const CALLERS = 8;
const SETTLED_AFTER_MS = 45_000;

const directory = mkdtempSync(join(tmpdir(), 'bench-objects-'));
let service;
let peer;
let nginx;

try {
  service = await startService({ settings: { APPS_PORT: String(await freePort()) } });
  peer = await startS3rver();
  nginx = await startNginx();
  console.log(
    `Node ${process.versions.node}, ${availableParallelism()} processors, a load of ` +
      `${(loadavg()[0] / availableParallelism()).toFixed(1)} each before\n`,
  );
  const bucket = await service.call('POST', '/storage/buckets', { name: 'bench', visibility: 'public' });
  const key = await service.call('POST', '/storage/access-keys', { name: 'bench', access: 'write' });
  const access = { endpoint: `${service.url}/s3`, id: key.id, secret: key.secret };
  const ours = {
    name: 'service',
    bucket: bucket.s3.bucket,
    pid: service.pid,
    client: s3(access),
    caller: new SignedCaller({ ...access, callers: CALLERS }),
  };
  await idle(ours);
  await signed(ours);
  await published(bucket, ours);
  await completing(ours);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await service?.stop();
  for (const each of [peer, nginx]) each?.child.kill();
  rmSync(directory, { recursive: true, force: true });
}

async function signed(ours) {
  const theirs = { ...peer, bucket: 'bench' };
  const get = (bytes) => async (side) => {
    await put(side, 'read', bytes);
    return () => side.caller.get(side.bucket, 'read');
  };
  const write = (bytes, hash) => (side) => {
    const body = randomBytes(bytes);
    const signed = hash ?? hashOf(body);
    let count = 0;
    return () => side.caller.put(side.bucket, `w${count++ % 50}`, body, signed);
  };
  await compare('signed GET 4 KiB', [ours, theirs], get(4 * KIBIBYTE), 'aim 4');
  await compare('signed GET 64 KiB', [ours, theirs], get(64 * KIBIBYTE), 'aim 4');
  await compare('PUT 64 KiB', [ours, theirs], write(64 * KIBIBYTE), 'aim 0.8');
  await compare('PUT 64 MiB', [ours, theirs], write(64 * MEBIBYTE), 'aim 1.4', 2);
  // As SDKs send it over TLS. The service alone checks the hash of a body that is signed.
  await compare('PUT 64 MiB, unsigned', [ours, theirs], write(64 * MEBIBYTE, 'UNSIGNED-PAYLOAD'), '', 2);
}

/** Prints what the service spends while nobody calls. */
async function idle({ pid }) {
  // What a start begins goes on after the service is ready.
  await sleep(SETTLED_AFTER_MS);
  const before = cpuSeconds(pid);
  await sleep(seconds * 1_000);
  console.log(
    `idle: ${((1_000 * (cpuSeconds(pid) - before)) / seconds).toFixed(0)} ms of processor time each second\n`,
  );
}

async function published(bucket, ours) {
  const content = randomBytes(4 * KIBIBYTE);
  await ours.client.send(
    new PutObjectCommand({ Bucket: ours.bucket, Key: 'page.bin', Body: content, ContentType: 'image/png' }),
  );
  if (nginx === undefined) {
    console.log('public GET 4 KiB: nginx is not installed');
    return;
  }
  writeFileSync(join(nginx.root, 'page.bin'), content);
  const { host } = new URL(bucket.public_url);
  const sides = [
    { name: 'service', pid: service.pid, port: service.appsPort, host },
    { name: 'nginx', pid: nginx.child.pid, port: nginx.port, host: 'localhost' },
  ];
  const begin = async (side) => {
    const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
    const ask = () => get(side, agent);
    await ask();
    return ask;
  };
  await compare('public GET 4 KiB', sides, begin, 'aim 0.25');
}

/** The parts are copies, so that gigabytes need not be sent. */
async function completing({ client, bucket: Bucket }) {
  const Key = 'large';
  await client.send(new PutObjectCommand({ Bucket, Key: 'part', Body: randomBytes(64 * MEBIBYTE) }));
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const parts = [];
  const count = gibibytes * 16;
  for (let number = 1; number <= count; number++) {
    const { CopyPartResult } = await client.send(
      new UploadPartCopyCommand({ Bucket, Key, UploadId, PartNumber: number, CopySource: `${Bucket}/part` }),
    );
    parts.push({ PartNumber: number, ETag: CopyPartResult.ETag });
  }
  const from = performance.now();
  await client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts: parts } }));
  console.log(
    `complete ${gibibytes} GiB in ${count} parts: ${(performance.now() - from).toFixed(1)} ms, aim 50 ms for 5 GiB`,
  );
}

/** Prints how many calls each side answers for a second of its processor time, and the ratio. */
async function compare(what, sides, begin, aim, callers = CALLERS) {
  const works = [];
  for (const side of sides) works.push(await begin(side));
  const rates = sides.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [at, side] of sides.entries()) rates[at].push(await rateOf(side, works[at], callers));
  const [first, second] = rates.map(median);
  const [lowest, highest] = [Math.min, Math.max].map((of) => of(...rates[0].map((rate, at) => rate / rates[1][at])));
  console.log(
    `${what.padEnd(20)} ${sides[0].name} ${first.toFixed(first < 20 ? 1 : 0)}/CPU-s, ` +
      `${sides[1].name} ${second.toFixed(second < 20 ? 1 : 0)}/CPU-s: ` +
      `${(first / second).toFixed(2)} × (${lowest.toFixed(2)}–${highest.toFixed(2)}) ${aim}`,
  );
}

async function rateOf(side, work, callers) {
  const before = cpuSeconds(side.pid);
  const until = performance.now() + seconds * 1_000;
  let done = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() < until) {
        await work();
        done += 1;
      }
    }),
  );
  return done / Math.max(0.01, cpuSeconds(side.pid) - before);
}

/** A server's processor time with that of all processes below it. */
function cpuSeconds(root) {
  return cpuOf([root, ...descendantsOf(root)]);
}

function put(side, Key, bytes) {
  return side.client.send(new PutObjectCommand({ Bucket: side.bucket, Key, Body: randomBytes(bytes) }));
}

function get({ port, host }, agent) {
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', path: '/page.bin', headers: { host }, agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${host} answered ${response.statusCode}.`));
      response.resume().once('end', resolve);
    })
      .once('error', reject)
      .end();
  });
}

function s3({ endpoint, id, secret }) {
  return new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: id, secretAccessKey: secret },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

async function startS3rver() {
  const port = await freePort();
  const code = `const S3rver = require('s3rver');
    const directory = ${JSON.stringify(join(directory, 's3rver'))};
    new S3rver({ port: ${port}, address: '127.0.0.1', silent: true, directory }).run();`;
  const child = spawn(process.execPath, ['-e', code], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  const access = { endpoint: `http://127.0.0.1:${port}`, id: 'S3RVER', secret: 'S3RVER' };
  const client = s3(access);
  for (;;) {
    const done = await client.send(new CreateBucketCommand({ Bucket: 'bench' })).then(
      () => true,
      () => false,
    );
    if (done)
      return {
        name: 's3rver',
        pid: child.pid,
        child,
        client,
        caller: new SignedCaller({ ...access, callers: CALLERS }),
      };
    if (child.exitCode !== null) throw new Error('s3rver has ended.');
    await sleep(50);
  }
}

async function startNginx() {
  if (spawnSync('nginx', ['-v'], { stdio: 'ignore' }).status !== 0) return undefined;
  const port = await freePort();
  const root = join(directory, 'nginx');
  mkdirSync(root, { recursive: true });
  const config = join(directory, 'nginx.conf');
  writeFileSync(
    config,
    `user root; worker_processes 1; daemon off; pid ${join(directory, 'nginx.pid')}; error_log
      ${join(directory, 'nginx.log')};
     events { worker_connections 512; }
     http { access_log off; sendfile on; keepalive_requests 1000000; server { listen 127.0.0.1:${port}; root
       ${root}; } }`,
  );
  const child = spawn('nginx', ['-c', config, '-p', directory], { stdio: 'ignore' });
  await sleep(500);
  return { child, port, root };
}
