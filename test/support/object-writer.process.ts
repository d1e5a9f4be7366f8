import { Readable, Writable } from 'node:stream';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { INestApplicationContext } from '@nestjs/common';
import 'reflect-metadata';
import type { DataSource } from 'typeorm';
import { AccessKeysModule } from '../../src/modules/objects/access-keys/access-keys.module.js';
import { AttachmentsModule } from '../../src/modules/objects/attachments/attachments.module.js';
import { BlobScrubSweeper } from '../../src/modules/objects/jobs/blob-scrub.sweeper.js';
import { DoomedBlobsSweeper } from '../../src/modules/objects/jobs/doomed-blobs.sweeper.js';
import { ExpiredObjectUploadsSweeper } from '../../src/modules/objects/jobs/expired-object-uploads.sweeper.js';
import { StorageReservationsSweeper } from '../../src/modules/objects/jobs/storage-reservations.sweeper.js';
import { BucketRemoval } from '../../src/modules/objects/lifecycle/bucket-removal.js';
import { ExpiredObjectsSweeper } from '../../src/modules/objects/lifecycle/expired-objects.sweeper.js';
import { SCRUB_METRICS } from '../../src/modules/objects/metrics/scrub.metrics.js';
import { MultipartService } from '../../src/modules/objects/multipart/multipart.service.js';
import { UploadCompletion } from '../../src/modules/objects/multipart/upload-completion.js';
import { ObjectsModule } from '../../src/modules/objects/objects.module.js';
import { ObjectsService } from '../../src/modules/objects/objects/objects.service.js';
import { ObjectsPersistenceModule } from '../../src/modules/objects/persistence/objects-persistence.module.js';
import { ObjectBlobs } from '../../src/modules/objects/writes/object-blobs.js';
import { MembershipDirectoryModule } from '../../src/modules/orgs/membership-directory.module.js';
import { PersonDirectoryModule } from '../../src/modules/people/person-directory.module.js';
import { ProjectOwnersModule } from '../../src/modules/projects/project-owners.module.js';
import { SandboxSettings } from '../../src/modules/sandbox/sandbox.settings.js';
import { Config } from '../../src/platform/config/config.js';
import { NoSiblings } from '../../src/platform/lifecycle/sibling-processes.js';
import { openLog } from '../../src/platform/logging/log.js';
import { RequestContext } from '../../src/platform/logging/request-context.js';
import { PlatformModule } from '../../src/platform/platform.module.js';
import { Clock } from '../../src/platform/time/clock.js';
import { BACKGROUND_CATALOG } from '../../src/roles/background-catalog.js';
import { createDataSource } from '../../src/roles/data-source.js';
import { ERROR_CATALOG } from '../../src/roles/error-catalog.js';
import { loadSettings } from '../../src/roles/settings.js';
import type { WriterDeath, WriterOrder } from './object-writer.js';
import { watchQueries } from './watched-queries.js';

@Module({
  imports: [AccessKeysModule, AttachmentsModule, ObjectsModule, ObjectsPersistenceModule],
  providers: [
    ...SCRUB_METRICS,
    BlobScrubSweeper,
    BucketRemoval,
    DoomedBlobsSweeper,
    ExpiredObjectsSweeper,
    ExpiredObjectUploadsSweeper,
    StorageReservationsSweeper,
  ],
})
class ObjectWriters {}

/** Set once the process is ready, so that what it does to start kills nothing. */
let death: WriterDeath | undefined;

const die = (): Promise<never> => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
};

let isSince = false;

function hasCome({ statement, since }: Extract<WriterDeath, { readonly statement: string }>, text: string): boolean {
  isSince ||= since === undefined || text.includes(since);
  return isSince && text.includes(statement);
}

const withDeath = (dataSource: DataSource): DataSource =>
  watchQueries(dataSource, async (text, send) => {
    const when = death !== undefined && 'statement' in death && hasCome(death, text) ? death.when : undefined;
    if (when === 'before') return die();
    const result = await send();
    return when === 'after' ? die() : result;
  });

async function* piecesOf(content: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(content);
  const half = Math.ceil(bytes.length / 2);
  yield bytes.subarray(0, half);
  // The first half is in the file when more is asked for.
  if (isHalf()) await die();
  yield bytes.subarray(half);
}

async function* halfOf(blob: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of blob as AsyncIterable<Buffer>) {
    const half = Math.ceil(chunk.length / 2);
    yield chunk.subarray(0, half);
    if (isHalf()) await die();
    yield chunk.subarray(half);
  }
}

const isHalf = (): boolean => death !== undefined && 'at' in death && death.at === 'half of the body';

function dieWithBlobs(blobs: ObjectBlobs): void {
  const get = blobs.get.bind(blobs);
  blobs.get = async (...parts) => Readable.from(halfOf(await get(...parts)), { objectMode: false });
  const remove = blobs.delete.bind(blobs);
  blobs.delete = async (key) => {
    await remove(key);
    if (death !== undefined && 'at' in death && death.at === 'first blob deleted') await die();
  };
}

const SWEEPERS = {
  reservations: StorageReservationsSweeper,
  doomed: DoomedBlobsSweeper,
  uploads: ExpiredObjectUploadsSweeper,
  objects: ExpiredObjectsSweeper,
} as const;

async function perform(app: INestApplicationContext, { act, bucket }: WriterOrder): Promise<unknown> {
  const body = (content: string) => ({ size: Buffer.byteLength(content), bytes: piecesOf(content) });
  switch (act.do) {
    case 'put': {
      const facts = { contentType: 'text/plain', headers: {}, metadata: {} };
      return app.get(ObjectsService).put(bucket, act.key, { facts, body: body(act.content) });
    }
    case 'part': {
      const upload = await app.get(MultipartService).get(bucket, act.key, act.uploadId);
      return app.get(MultipartService).putPart(bucket, upload, 1, body(act.content));
    }
    case 'complete': {
      const { uploadId, key, etag } = act;
      return app.get(UploadCompletion).complete(bucket, { uploadId, key, parts: [{ number: 1, etag }] });
    }
    case 'abort':
      return app.get(MultipartService).abort(bucket, act.uploadId);
    case 'delete':
      return app.get(ObjectsService).delete(bucket, [act.key]);
    case 'copy': {
      const source = await app.get(ObjectsService).get(bucket, act.from);
      const { contentType = source.contentType } = act;
      return app.get(ObjectsService).copy(source, bucket, act.key, { facts: { ...source, contentType } });
    }
    case 'copy part': {
      const source = await app.get(ObjectsService).get(bucket, act.from);
      const upload = await app.get(MultipartService).get(bucket, act.key, act.uploadId);
      const range = { start: 1, end: source.size - 1 };
      const copied = { size: range.end, bytes: app.get(ObjectsService).bytes(source, range) };
      return app.get(MultipartService).putPart(bucket, upload, 1, copied);
    }
    case 'remove buckets':
      return app.get(BucketRemoval).removeOfOrg(bucket.orgId);
    case 'sweep': {
      const { signal } = new AbortController();
      if (act.what === 'scrub') return app.get(BlobScrubSweeper).scrubSlice({ slice: 0, of: 1 }, signal);
      return app.get(SWEEPERS[act.what]).run(signal);
    }
  }
}

async function main(order: WriterOrder): Promise<void> {
  const settings = loadSettings(order.settings);
  const config = settings.of(Config);
  const nothing = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const app = await NestFactory.createApplicationContext(
    {
      module: ObjectWriters,
      imports: [
        PlatformModule.with({
          settings,
          isolation: settings.of(SandboxSettings),
          log: openLog(config, nothing),
          siblings: new NoSiblings(),
          context: new RequestContext(),
          dataSource: withDeath(createDataSource({ url: config.databaseUrl!, poolSize: 2 })),
          catalog: BACKGROUND_CATALOG,
          errors: ERROR_CATALOG,
        }),
        PersonDirectoryModule,
        MembershipDirectoryModule,
        ProjectOwnersModule,
      ],
    },
    // Nest would end the process without a word.
    { logger: false, abortOnError: false },
  );
  const { aheadMs } = order;
  if (aheadMs !== undefined) app.get(Clock).now = () => new Date(Date.now() + aheadMs);
  dieWithBlobs(app.get(ObjectBlobs));
  death = order.death;
  await perform(app, order);
  await app.close();
}

main(JSON.parse(process.argv[2]!) as WriterOrder).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(String((error as Error).stack));
    process.exit(1);
  },
);
