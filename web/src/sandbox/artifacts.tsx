import type { Artifact, Run } from '@service/client';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../api';
import { bytesInWords } from '../ui/amounts';
import { Button } from '../ui/button';
import { ErrorNote } from '../ui/error-note';
import { saveFile } from '../ui/save-file';
import { Picture } from './picture';

interface ArtifactsProps {
  readonly org: string;
  readonly run: Run;
}

/** Pictures that are shown at once, without being asked for. */
const MOST_SHOWN = 4;
const MOST_SHOWN_BYTES = 4_194_304;

const isPicture = ({ type, size_bytes: size }: Artifact): boolean =>
  (type === 'image/png' || type === 'image/jpeg') && size <= MOST_SHOWN_BYTES;

/** The files that a program has left, which are there for a day, and those that were not kept. */
export function Artifacts({ org, run }: ArtifactsProps): ReactNode {
  const { artifacts = [], artifact_errors: faults = [] } = run;
  const save = useMutation({
    mutationFn: async ({ id, path }: Artifact) => {
      const file = await (await api.sandbox.artifact(run.id, id, { organization: org })).blob();
      saveFile(path.split('/').at(-1)!, 'application/octet-stream', file);
    },
  });
  return (
    <div role="group" aria-label="Files of the program">
      <p aria-hidden="true" className="text-muted mb-1 text-xs font-medium">
        Files
      </p>
      {artifacts.length === 0 && faults.length === 0 && (
        <p className="text-muted">
          It left none in <code className="font-mono">/artifacts</code>.
        </p>
      )}
      <ul>
        {artifacts.map((artifact) => (
          <li key={artifact.id} className="flex min-h-9 items-center gap-2">
            <span className="min-w-0 truncate" title={artifact.path}>
              {artifact.path}
            </span>
            <span className="text-muted text-sm whitespace-nowrap">{bytesInWords(artifact.size_bytes)}</span>
            <Button
              look="quiet"
              className="ml-auto"
              busy={save.isPending && save.variables.id === artifact.id}
              onClick={() => {
                save.mutate(artifact);
              }}
            >
              Download<span className="sr-only"> {artifact.path}</span>
            </Button>
          </li>
        ))}
        {faults.map(({ path, message }, index) => (
          <li key={index} className="text-bad break-words">
            {path === undefined ? '' : `${path}: `}
            {message}
          </li>
        ))}
      </ul>
      {save.error !== null && <ErrorNote error={save.error} />}
      <div className="mt-2 grid gap-2 empty:hidden">
        {artifacts
          .filter(isPicture)
          .slice(0, MOST_SHOWN)
          .map(({ id, path }) => (
            <Picture
              key={id}
              label={path}
              name={id}
              load={async () =>
                new Uint8Array(await (await api.sandbox.artifact(run.id, id, { organization: org })).arrayBuffer())
              }
            />
          ))}
      </div>
    </div>
  );
}
