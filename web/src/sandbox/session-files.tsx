import type { SandboxSessionFile } from '@service/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { readFile, refreshFiles, removeFile, sessionFilesQuery, writeFile } from '../data/sandbox-sessions';
import { bytesInWords } from '../ui/amounts';
import { Button } from '../ui/button';
import { ErrorNote } from '../ui/error-note';
import { Icon } from '../ui/icons';
import { Loaded } from '../ui/loaded';
import { saveFile } from '../ui/save-file';

interface SessionFilesProps {
  readonly org: string;
  readonly session: string;
}

/** The service refuses larger ones after they were sent. */
const MOST_BYTES = 8 * 1_048_576;

const nameOf = (path: string): string => path.split('/').at(-1)!;

/** The files in the working directory of a session: they go up and down, and can be deleted. */
export function SessionFiles({ org, session }: SessionFilesProps): ReactNode {
  const [directory, setDirectory] = useState('');
  const files = useQuery(sessionFilesQuery(org, session, directory));
  const input = useRef<HTMLInputElement>(null);
  const act = useMutation({
    mutationFn: (action: () => Promise<void>) => action(),
    onSettled: () => refreshFiles(session),
  });
  const upload = async (chosen: readonly File[]): Promise<void> => {
    for (const file of chosen) {
      if (file.size > MOST_BYTES) throw new Error(`${file.name} has more than 8 MiB.`);
      await writeFile(org, session, directory === '' ? file.name : `${directory}/${file.name}`, file);
    }
  };
  return (
    <section
      aria-label="Files"
      className="card grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-2 p-3 lg:sticky lg:top-6"
    >
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="text-base font-semibold">Files</h2>
        <span className="ml-auto flex gap-2">
          <Button look="quiet" onClick={() => void refreshFiles(session)}>
            Refresh
          </Button>
          <Button
            busy={act.isPending}
            onClick={() => {
              input.current!.click();
            }}
          >
            Upload
          </Button>
        </span>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          data-files
          onChange={(event) => {
            const chosen = [...(event.target.files ?? [])];
            event.target.value = '';
            act.mutate(() => upload(chosen));
          }}
        />
      </div>
      {directory !== '' && (
        <button
          type="button"
          className="link min-h-6 w-fit max-w-full truncate"
          onClick={() => {
            setDirectory(directory.split('/').slice(0, -1).join('/'));
          }}
        >
          {directory}: back
        </button>
      )}
      {act.error !== null && <ErrorNote error={act.error} />}
      <Loaded query={files}>
        {(found) =>
          found.length === 0 ? (
            <p className="text-muted">No files yet. Programs find what you upload here.</p>
          ) : (
            <ul>
              {found.map((file) => (
                <FileRow
                  key={file.path}
                  file={file}
                  onOpen={() => {
                    setDirectory(file.path);
                  }}
                  onSave={() => {
                    act.mutate(async () => {
                      saveFile(nameOf(file.path), 'application/octet-stream', await readFile(org, session, file.path));
                    });
                  }}
                  onRemove={() => {
                    act.mutate(() => removeFile(org, session, file.path));
                  }}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

interface FileRowProps {
  readonly file: SandboxSessionFile;
  readonly onOpen: () => void;
  readonly onSave: () => void;
  readonly onRemove: () => void;
}

function FileRow({ file: { path, type, size_bytes: size }, onOpen, onSave, onRemove }: FileRowProps): ReactNode {
  const name = nameOf(path);
  return (
    <li className="flex min-h-9 items-center gap-1.5">
      <Icon name={type === 'directory' ? 'folder' : 'file'} size={14} />
      <span className="min-w-0 flex-1">
        {type === 'directory' ? (
          <button type="button" className="block min-h-6 max-w-full truncate hover:underline" onClick={onOpen}>
            {name}
          </button>
        ) : (
          <span className="block truncate" title={path}>
            {name}
          </span>
        )}
      </span>
      {type === 'file' && (
        <>
          <span className="text-muted text-sm whitespace-nowrap">{bytesInWords(size)}</span>
          <Button look="quiet" className="!px-2" aria-label={`Download ${name}`} onClick={onSave}>
            <Icon name="down" size={14} />
          </Button>
          <Button look="quiet" className="!px-2" aria-label={`Delete ${name}`} onClick={onRemove}>
            <Icon name="close" size={14} />
          </Button>
        </>
      )}
    </li>
  );
}
