/** What a browser keeps of an upload in parts, so that it can go on after a reload. */
interface KeptUpload {
  readonly key: string;
  readonly sizeBytes: number;
  readonly sentBytes: number;
  /** With the size, it says whether a file that is chosen again is the same. */
  readonly modifiedAt: number;
  readonly uploadId: string;
}

const MOST = 100;

const nameOf = (bucket: string): string => `uploads:${bucket}`;

export function keptUploads(bucket: string): readonly KeptUpload[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(nameOf(bucket)) ?? '[]');
    return Array.isArray(found) ? found.filter(isKept) : [];
  } catch {
    return [];
  }
}

export function keepUpload(bucket: string, kept: KeptUpload): void {
  write(bucket, [kept, ...keptUploads(bucket).filter(({ uploadId }) => uploadId !== kept.uploadId)].slice(0, MOST));
}

export function forgetUpload(bucket: string, id: string): void {
  write(
    bucket,
    keptUploads(bucket).filter(({ uploadId }) => uploadId !== id),
  );
}

function write(bucket: string, all: readonly KeptUpload[]): void {
  try {
    if (all.length === 0) localStorage.removeItem(nameOf(bucket));
    else localStorage.setItem(nameOf(bucket), JSON.stringify(all));
  } catch {
    // A full storage: the upload goes on, and only a reload would lose its place.
  }
}

function isKept(value: unknown): value is KeptUpload {
  const { key, sizeBytes, sentBytes, modifiedAt, uploadId } = (value ?? {}) as Record<string, unknown>;
  return (
    typeof key === 'string' &&
    typeof uploadId === 'string' &&
    [sizeBytes, sentBytes, modifiedAt].every((each) => typeof each === 'number')
  );
}
