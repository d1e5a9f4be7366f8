import type { Bucket, StoredObject } from '@service/client';
import type { ReactNode } from 'react';
import { bytesOf } from '../chart/units';
import { Icon } from '../ui/icons';
import { Table } from '../ui/table';
import { Ago } from '../ui/time';

interface ObjectTableProps {
  readonly bucket: Bucket;
  readonly prefixes: readonly { readonly prefix: string; readonly name: string }[];
  readonly objects: readonly { readonly object: StoredObject; readonly name: string }[];
  /** What is marked, by keys and prefixes; absent for who may change nothing. */
  readonly chosen: ReadonlySet<string> | undefined;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
  readonly onGo: (prefix: string) => void;
  readonly onOpen: (object: StoredObject) => void;
  readonly more: ReactNode;
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly object?: StoredObject;
}

/** Folders come first, then objects, each in the order of the service. */
export function ObjectTable({
  bucket,
  prefixes,
  objects,
  chosen,
  onChoose,
  onGo,
  onOpen,
  more,
}: ObjectTableProps): ReactNode {
  const rows: Row[] = [
    ...prefixes.map(({ prefix: id, name }) => ({ id, name })),
    ...objects.map(({ object, name }) => ({ id: object.key, name, object })),
  ];
  const choose = (id: string, isChosen: boolean): void => {
    const next = new Set(chosen);
    if (isChosen) next.add(id);
    else next.delete(id);
    onChoose(next);
  };
  const isAll = rows.every(({ id }) => chosen?.has(id) === true);
  return (
    <>
      {chosen !== undefined && (
        <label className="mb-2 flex min-h-6 w-fit items-center gap-2 text-sm">
          <input
            type="checkbox"
            className="size-4 accent-[var(--accent)]"
            checked={isAll}
            onChange={() => {
              onChoose(new Set(isAll ? [] : rows.map(({ id }) => id)));
            }}
          />
          Choose all that are shown
        </label>
      )}
      <Table
        label={`Objects of ${bucket.name}`}
        rows={rows}
        keyOf={({ id }) => id}
        more={more}
        columns={[
          {
            title: 'Name',
            cell: ({ id, name, object }) => (
              <span className="flex max-w-56 items-center gap-2.5 sm:max-w-md">
                {chosen !== undefined && (
                  <input
                    type="checkbox"
                    aria-label={`Choose ${name}`}
                    className="size-4 shrink-0 accent-[var(--accent)]"
                    checked={chosen.has(id)}
                    onChange={({ target }) => {
                      choose(id, target.checked);
                    }}
                  />
                )}
                <span className="text-muted shrink-0">
                  <Icon name={object === undefined ? 'folder' : 'file'} />
                </span>
                <button
                  type="button"
                  className="min-h-6 min-w-0 truncate text-left font-medium hover:underline"
                  title={id}
                  onClick={() => {
                    if (object === undefined) onGo(id);
                    else onOpen(object);
                  }}
                >
                  {name === '' ? '(no name)' : name}
                </button>
              </span>
            ),
          },
          {
            title: 'Size',
            numeric: true,
            cell: ({ object }) => (
              <span className="whitespace-nowrap">{object === undefined ? '–' : bytesOf(object.size_bytes)}</span>
            ),
          },
          {
            title: 'Type',
            wideOnly: true,
            cell: ({ object }) => (
              <span className="text-muted block max-w-40 truncate text-sm">{object?.content_type ?? 'Folder'}</span>
            ),
          },
          {
            title: 'Changed',
            wideOnly: true,
            cell: ({ object }) => (
              <span className="text-muted whitespace-nowrap">
                {object === undefined ? '–' : <Ago at={object.updated_at} />}
              </span>
            ),
          },
        ]}
      />
    </>
  );
}
