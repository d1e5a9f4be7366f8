import { type ReactNode, useRef } from 'react';
import { bytesOf } from '../chart/units';
import { Button } from '../ui/button';
import { ErrorNote } from '../ui/error-note';
import { State } from '../ui/state';
import { cancel, clearFinished, pause, resume, type Upload, upload } from './uploads';

interface UploadListProps {
  readonly org: string;
  readonly bucket: string;
  readonly uploads: readonly Upload[];
}

/** Thousands of rows say less than a number. */
const SHOWN = 20;

const WORDS = {
  waiting: ['quiet', 'Waiting'],
  sending: ['warn', 'Uploading'],
  paused: ['quiet', 'Paused'],
  failed: ['bad', 'Failed'],
  done: ['good', 'Done'],
} as const;
const ORDER = ['failed', 'paused', 'sending', 'waiting', 'done'];

/** The uploads into a bucket with their progress. What needs a person stands first. */
export function UploadList({ org, bucket, uploads }: UploadListProps): ReactNode {
  if (uploads.length === 0) return null;
  const sorted = [...uploads].sort((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state));
  const finished = uploads.filter(({ state }) => state === 'done').length;
  const total = sum(uploads.map((each) => each.sizeBytes));
  const sent = sum(uploads.map((each) => each.sentBytes));
  return (
    <section aria-label="Uploads" className="card mb-6 grid gap-3 p-4">
      <div className="flex flex-wrap items-center gap-3">
        <h2 className="font-semibold">Uploads</h2>
        <p className="text-muted text-sm tabular-nums" role="status">
          {finished} of {uploads.length} done, {bytesOf(sent)} of {bytesOf(total)}
        </p>
        {finished > 0 && (
          <Button
            look="quiet"
            className="ml-auto"
            onClick={() => {
              clearFinished(bucket);
            }}
          >
            Clear finished
          </Button>
        )}
      </div>
      <Bar label="All uploads" sent={sent} total={total} />
      <ul className="divide-line divide-y">
        {sorted.slice(0, SHOWN).map((each) => (
          <Row key={each.id} org={org} bucket={bucket} upload={each} />
        ))}
      </ul>
      {sorted.length > SHOWN && <p className="text-muted text-sm">And {sorted.length - SHOWN} more.</p>}
    </section>
  );
}

const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0);

function Row({ org, bucket, upload: one }: Omit<UploadListProps, 'uploads'> & { readonly upload: Upload }): ReactNode {
  const { id, key, state, sizeBytes, sentBytes, file, error } = one;
  const [tone, word] = WORDS[state];
  return (
    <li className="grid gap-2 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 flex-1 truncate" title={key}>
          {key}
        </span>
        <span className="text-muted text-sm tabular-nums">
          {bytesOf(sentBytes)} of {bytesOf(sizeBytes)}
        </span>
        <State tone={tone} moving={state === 'sending'}>
          {word}
        </State>
        <span className="inline-flex">
          {(state === 'sending' || state === 'waiting') && (
            <Button
              look="quiet"
              onClick={() => {
                pause(id);
              }}
            >
              Pause<span className="sr-only"> {key}</span>
            </Button>
          )}
          {(state === 'paused' || state === 'failed') && file !== undefined && (
            <Button
              look="quiet"
              onClick={() => {
                resume(id);
              }}
            >
              {state === 'failed' ? 'Try again' : 'Resume'}
              <span className="sr-only"> {key}</span>
            </Button>
          )}
          {state !== 'done' && (
            <Button
              look="quiet"
              onClick={() => {
                cancel(id);
              }}
            >
              Cancel<span className="sr-only"> {key}</span>
            </Button>
          )}
        </span>
      </div>
      {state !== 'done' && <Bar label={key} sent={sentBytes} total={sizeBytes} />}
      {file === undefined && state !== 'done' && <ChooseAgain org={org} bucket={bucket} upload={one} />}
      {error !== undefined && <ErrorNote error={error} />}
    </li>
  );
}

/** A reload takes the file from the page; what was sent of it is with the service. */
function ChooseAgain({
  org,
  bucket,
  upload: one,
}: Omit<UploadListProps, 'uploads'> & { readonly upload: Upload }): ReactNode {
  const field = useRef<HTMLInputElement>(null);
  return (
    <p className="text-muted flex flex-wrap items-center gap-3 text-sm">
      The page was reloaded. Choose the same file again to go on where it stopped.
      <Button
        onClick={() => {
          field.current!.click();
        }}
      >
        Choose the file<span className="sr-only"> {one.key}</span>
      </Button>
      <input
        ref={field}
        type="file"
        hidden
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file !== undefined) upload(org, bucket, [{ key: one.key, file }]);
          target.value = '';
        }}
      />
    </p>
  );
}

function Bar({
  label,
  sent,
  total,
}: {
  readonly label: string;
  readonly sent: number;
  readonly total: number;
}): ReactNode {
  const share = total === 0 ? 1 : sent / total;
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
      className="bg-sunken h-1.5 overflow-hidden rounded-full"
    >
      <div className="bg-accent h-full" style={{ width: `${share * 100}%` }} />
    </div>
  );
}
