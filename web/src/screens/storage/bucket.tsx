import type { Bucket, StoredObject } from '@service/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { ignore, queries } from '../../api';
import { bytesOf } from '../../chart/units';
import { useMay } from '../../data/me';
import { bucketQuery, objectsOf, objectsQuery } from '../../data/storage';
import { BucketFrame, type BucketParams } from '../../storage/bucket-frame';
import type { Doomed } from '../../storage/delete-dialog';
import { chosenFiles, type PlacedFile } from '../../storage/dropped-files';
import { DropZone } from '../../storage/drop-zone';
import { foldersOf, nameBelow, prefixOf } from '../../storage/object-names';
import { ObjectTable } from '../../storage/object-table';
import { restoreUploads, upload, useUploads } from '../../storage/uploads';
import { AddButton } from '../../ui/add-button';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Empty } from '../../ui/empty';
import { Field, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';

// The list is there before what opens over it.
const DeleteDialog = lazy(async () => ({ default: (await import('../../storage/delete-dialog')).DeleteDialog }));
const ObjectDialog = lazy(async () => ({ default: (await import('../../storage/object-dialog')).ObjectDialog }));
const UploadList = lazy(async () => ({ default: (await import('../../storage/upload-list')).UploadList }));

export function prepare({ org, bucket }: BucketParams): void {
  queries.query(bucketQuery(org, bucket)).catch(ignore);
  queries.infiniteQuery(objectsQuery(org, bucket, '')).catch(ignore);
}

/** The folder that is open is in the address. */
export function Screen({ org, bucket: id }: BucketParams): ReactNode {
  const [search, setSearch] = useSearchParams();
  const prefix = search.get('prefix') ?? '';
  const mayWrite = useMay(org, 'storage:write');
  const [isNaming, setIsNaming] = useState(false);
  const go = (to: string): void => {
    setSearch(to === '' ? {} : { prefix: to });
  };
  const add = (files: readonly PlacedFile[]): void => {
    upload(
      org,
      id,
      files.map(({ path, file }) => ({ key: prefix + path, file })),
    );
  };
  const actions = mayWrite && (
    <UploadButtons
      onFiles={add}
      onNewFolder={() => {
        setIsNaming(true);
      }}
    />
  );
  return (
    <BucketFrame org={org} bucket={id} open="bucket" actions={actions}>
      {(bucket) => (
        <>
          <Uploads org={org} bucket={id} />
          <Folders bucket={bucket} prefix={prefix} onGo={go} />
          <DropZone onFiles={mayWrite ? add : undefined}>
            <Objects key={prefix} org={org} bucket={bucket} prefix={prefix} mayWrite={mayWrite} onGo={go} />
          </DropZone>
          <Dialog
            open={isNaming}
            title="New folder"
            onClose={() => {
              setIsNaming(false);
            }}
          >
            <Form
              label="New folder"
              submit="Open the folder"
              onSubmit={({ name = '' }) => {
                setIsNaming(false);
                go(prefix + prefixOf(name));
                return Promise.resolve();
              }}
            >
              <Field
                label="Name"
                name="name"
                required
                autoFocus
                maxLength={500}
                placeholder="photos/2026"
                hint="A folder is the beginning of keys: it is there once it has a file."
              />
            </Form>
          </Dialog>
        </>
      )}
    </BucketFrame>
  );
}

function Uploads({ org, bucket }: BucketParams): ReactNode {
  const uploads = useUploads(org, bucket);
  useEffect(() => {
    restoreUploads(org, bucket);
  }, [org, bucket]);
  return (
    <Suspense fallback={null}>
      <UploadList org={org} bucket={bucket} uploads={uploads} />
    </Suspense>
  );
}

interface UploadButtonsProps {
  readonly onFiles: (files: readonly PlacedFile[]) => void;
  readonly onNewFolder: () => void;
}

function UploadButtons({ onFiles, onNewFolder }: UploadButtonsProps): ReactNode {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  // React has no property for folders.
  useEffect(() => {
    folder.current?.setAttribute('webkitdirectory', '');
  }, []);
  const take = (field: HTMLInputElement): void => {
    onFiles(chosenFiles(field.files));
    field.value = '';
  };
  return (
    <>
      <Button onClick={onNewFolder}>New folder</Button>
      <Button
        onClick={() => {
          folder.current!.click();
        }}
      >
        Upload a folder
      </Button>
      <AddButton
        onClick={() => {
          files.current!.click();
        }}
      >
        Upload files
      </AddButton>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        data-files
        onChange={({ target }) => {
          take(target);
        }}
      />
      <input
        ref={folder}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          take(target);
        }}
      />
    </>
  );
}

interface FoldersProps {
  readonly bucket: Bucket;
  readonly prefix: string;
  readonly onGo: (prefix: string) => void;
}

function Folders({ bucket, prefix, onGo }: FoldersProps): ReactNode {
  const folders = foldersOf(prefix);
  return (
    <nav aria-label="Folders" className="mb-3 flex min-h-6 flex-wrap items-center gap-1.5">
      {[{ name: bucket.name, prefix: '' }, ...folders].map((each, depth) => (
        <span key={each.prefix} className="inline-flex items-center gap-1.5">
          {depth > 0 && (
            <span aria-hidden="true" className="text-muted">
              /
            </span>
          )}
          {each.prefix === prefix ? (
            <b aria-current="location" className="break-all">
              {each.name}
            </b>
          ) : (
            <button
              type="button"
              className="link min-h-6 break-all"
              onClick={() => {
                onGo(each.prefix);
              }}
            >
              {each.name}
            </button>
          )}
        </span>
      ))}
    </nav>
  );
}

interface ObjectsProps extends FoldersProps {
  readonly org: string;
  readonly mayWrite: boolean;
}

function Objects({ org, bucket, prefix, mayWrite, onGo }: ObjectsProps): ReactNode {
  const query = useInfiniteQuery(objectsQuery(org, bucket.id, prefix));
  const [open, setOpen] = useState<StoredObject>();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [doomed, setDoomed] = useState<Doomed>();
  return (
    <Loaded query={query} lines={6}>
      {({ pages }) => {
        const { objects, prefixes } = objectsOf(pages);
        const keys = objects.map(({ key }) => key).filter((key) => chosen.has(key));
        const folders = prefixes.filter((each) => chosen.has(each));
        const count = keys.length + folders.length;
        return (
          <>
            {objects.length + prefixes.length === 0 ? (
              <Empty icon="storage" title={prefix === '' ? 'No objects yet' : 'This folder is empty'}>
                {mayWrite
                  ? 'Drop files or folders here, use the buttons above, or any S3 client.'
                  : 'Nothing has been uploaded.'}
              </Empty>
            ) : (
              <ObjectTable
                bucket={bucket}
                prefixes={prefixes.map((each) => ({ prefix: each, name: nameBelow(each, prefix) }))}
                objects={objects.map((object) => ({ object, name: nameBelow(object.key, prefix) }))}
                chosen={mayWrite ? chosen : undefined}
                onChoose={setChosen}
                onGo={onGo}
                onOpen={setOpen}
                more={<More query={query} />}
              />
            )}
            <div className="mt-3 flex min-h-8 flex-wrap items-center gap-3" role="status">
              {count > 0 && (
                <>
                  <span>
                    {count} chosen
                    {keys.length > 0 && `, ${bytesOf(sizeOf(objects, chosen))}`}
                  </span>
                  <Button
                    look="danger"
                    onClick={() => {
                      setDoomed({ keys, prefixes: folders });
                    }}
                  >
                    Delete
                  </Button>
                  <Button
                    look="quiet"
                    onClick={() => {
                      setChosen(new Set());
                    }}
                  >
                    Choose none
                  </Button>
                </>
              )}
            </div>
            <Suspense fallback={null}>
              <ObjectDialog
                org={org}
                bucket={bucket}
                object={open}
                mayWrite={mayWrite}
                onClose={() => {
                  setOpen(undefined);
                }}
                onDelete={({ key }) => {
                  setOpen(undefined);
                  setDoomed({ keys: [key], prefixes: [] });
                }}
              />
              <DeleteDialog
                org={org}
                bucket={bucket.id}
                doomed={doomed}
                onClose={() => {
                  setDoomed(undefined);
                }}
                onDone={() => {
                  setDoomed(undefined);
                  setChosen(new Set());
                }}
              />
            </Suspense>
          </>
        );
      }}
    </Loaded>
  );
}

const sizeOf = (objects: readonly StoredObject[], chosen: ReadonlySet<string>): number =>
  objects.filter(({ key }) => chosen.has(key)).reduce((sum, each) => sum + each.size_bytes, 0);
