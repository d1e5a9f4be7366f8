import { useSyncExternalStore } from 'react';
import { api } from '../api';
import { refreshStorage } from '../data/storage';
import { forgetUpload, keepUpload, keptUploads } from './kept-uploads';

export interface Upload {
  readonly id: number;
  readonly org: string;
  readonly bucket: string;
  readonly key: string;
  readonly sizeBytes: number;
  readonly sentBytes: number;
  readonly state: 'waiting' | 'sending' | 'paused' | 'failed' | 'done';
  readonly error?: unknown;
  /** Parts that have arrived are kept under this id by the service. */
  readonly uploadId?: string;
  /** Absent after a reload, until the person chooses the file again. */
  readonly file?: File;
  readonly modifiedAt: number;
}

/** Each file sends four parts at once, so that a few files fill any line. */
const FILES_AT_ONCE = 2;
/** More would hold up the page, and are no work for a browser. */
export const MOST_FILES = 5_000;

let uploads: readonly Upload[] = [];
let lastId = 0;
const listeners = new Set<() => void>();
const stops = new Map<number, AbortController>();
const restored = new Set<string>();

/** The uploads into a bucket. They go on while other screens are open, and are found again after a reload. */
export function useUploads(org: string, bucket: string): readonly Upload[] {
  const all = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => uploads,
  );
  return all.filter((each) => each.org === org && each.bucket === bucket);
}

/** Shows the uploads that a reload has interrupted. */
export function restoreUploads(org: string, bucket: string): void {
  if (restored.has(bucket)) return;
  restored.add(bucket);
  const known = new Set(uploads.map(({ uploadId }) => uploadId));
  const found = keptUploads(bucket).filter(({ uploadId }) => !known.has(uploadId));
  put([...uploads, ...found.map((each) => ({ ...each, id: ++lastId, org, bucket, state: 'paused' as const }))]);
}

/** Begins uploads, or goes on with those that were interrupted and have the same key, size and time of change. */
export function upload(org: string, bucket: string, files: readonly { readonly key: string; file: File }[]): void {
  const added = files.slice(0, MOST_FILES).flatMap(({ key, file }) => {
    const before = uploads.find((each) => each.bucket === bucket && each.key === key && each.state !== 'done');
    if (before !== undefined && isSame(before, file)) {
      change(before.id, { file, state: 'waiting', error: undefined });
      return [];
    }
    if (before !== undefined) cancel(before.id);
    const { size: sizeBytes, lastModified: modifiedAt } = file;
    return [{ id: ++lastId, org, bucket, key, sizeBytes, modifiedAt, sentBytes: 0, state: 'waiting' as const, file }];
  });
  put([...uploads, ...added]);
  next();
}

const isSame = (one: Upload, file: File): boolean =>
  one.sizeBytes === file.size && one.modifiedAt === file.lastModified;

export function pause(id: number): void {
  stops.get(id)?.abort();
  change(id, { state: 'paused' });
  next();
}

/** Without a file, the person has to choose it again first. */
export function resume(id: number): void {
  change(id, { state: 'waiting', error: undefined });
  next();
}

/** Gives up an upload, with the parts that have arrived, which would count as stored otherwise. */
export function cancel(id: number): void {
  stops.get(id)?.abort();
  const gone = uploads.find((each) => each.id === id);
  put(uploads.filter((each) => each !== gone));
  if (gone !== undefined) void discard(gone);
  next();
}

/** When the service cannot be reached, a reload shows the upload again. After some days, it is gone by itself. */
async function discard({ org, bucket, uploadId }: Upload): Promise<void> {
  if (uploadId === undefined) return;
  try {
    await api.storage.objects.abortUpload(bucket, uploadId, { organization: org });
  } catch (error) {
    if (!isMissing(error)) return;
  }
  forgetUpload(bucket, uploadId);
  void refreshStorage(org);
}

export function clearFinished(bucket: string): void {
  put(uploads.filter((each) => each.bucket !== bucket || each.state !== 'done'));
}

function put(all: readonly Upload[]): void {
  uploads = all;
  for (const listener of listeners) listener();
}

function change(id: number, change: { readonly [Name in keyof Upload]?: Upload[Name] | undefined }): void {
  put(uploads.map((each) => (each.id === id ? ({ ...each, ...change } as Upload) : each)));
}

function next(): void {
  watchLeaving();
  while (stops.size < FILES_AT_ONCE) {
    const waiting = uploads.find(({ state, file }) => state === 'waiting' && file !== undefined);
    if (waiting === undefined) return;
    void send(waiting);
  }
}

async function send({ id, org, bucket, key, file, uploadId, sizeBytes, modifiedAt }: Upload): Promise<void> {
  const mine = new AbortController();
  stops.set(id, mine);
  change(id, { state: 'sending' });
  let known = uploadId;
  try {
    await api.storage.objects.put(bucket, key, file!, {
      organization: org,
      signal: mine.signal,
      resume: uploadId,
      onProgress: ({ uploadId: started, sentBytes }) => {
        if (mine.signal.aborted) return;
        known = started ?? known;
        change(id, { sentBytes, ...(known !== undefined && { uploadId: known }) });
        if (known !== undefined) keepUpload(bucket, { key, sizeBytes, sentBytes, modifiedAt, uploadId: known });
      },
    });
    if (known !== undefined) forgetUpload(bucket, known);
    change(id, { state: 'done', sentBytes: sizeBytes });
  } catch (error) {
    if (!mine.signal.aborted) change(id, failureOf(error, known, bucket));
  } finally {
    if (stops.get(id) === mine) stops.delete(id);
    next();
    if (stops.size === 0) void refreshStorage(org);
  }
}

/** The service forgets an upload after some days: it then begins from the start. */
function failureOf(error: unknown, uploadId: string | undefined, bucket: string): Parameters<typeof change>[1] {
  if (uploadId === undefined || !isMissing(error)) return { state: 'failed', error };
  forgetUpload(bucket, uploadId);
  return { state: 'failed', error, uploadId: undefined, sentBytes: 0 };
}

const isMissing = (error: unknown): boolean => (error as { readonly status?: unknown }).status === 404;

const ask = (event: BeforeUnloadEvent): void => {
  event.preventDefault();
};

function watchLeaving(): void {
  const isSending = uploads.some(({ state }) => state === 'waiting' || state === 'sending');
  if (isSending) addEventListener('beforeunload', ask);
  else removeEventListener('beforeunload', ask);
}
