import { api } from '../api';

const AT_ONCE = 6;
const PAGE = 100;

interface Deletion {
  readonly org: string;
  readonly bucket: string;
  readonly keys: readonly string[];
  /** Folders, all of whose objects go. */
  readonly prefixes: readonly string[];
  /** Called with the number of objects that are gone so far. */
  readonly onProgress: (gone: number) => void;
  readonly signal: AbortSignal;
}

/** Deletes objects, a few at once. What it throws at leaves the rest as it is. */
export async function deleteObjects({ org, bucket, keys, prefixes, onProgress, signal }: Deletion): Promise<void> {
  let gone = 0;
  const options = { organization: org, signal };
  const remove = async (some: readonly string[]): Promise<void> => {
    for (let at = 0; at < some.length; at += AT_ONCE) {
      const now = some.slice(at, at + AT_ONCE);
      await Promise.all(now.map((key) => api.storage.objects.delete(bucket, key, options)));
      gone += now.length;
      onProgress(gone);
    }
  };
  await remove(keys);
  for (const prefix of prefixes) {
    for (;;) {
      // The first page each time: what it had is gone.
      const { data } = await api.storage.objects.list(bucket, { prefix, limit: PAGE }, options);
      if (data.objects.length === 0) break;
      await remove(data.objects.map(({ key }) => key));
    }
  }
}
