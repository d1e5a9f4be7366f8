import type { ReactNode } from 'react';
import type { Run } from '@service/client';
import { Artifacts } from './artifacts';
import { RichResults } from './rich-results';

interface BesideProps {
  readonly org: string;
  readonly run: Run;
}

/** What a run has beside its output. Its code is loaded when a run has any of it. */
export function Beside({ org, run }: BesideProps): ReactNode {
  const { id, results = [], artifacts } = run;
  return (
    <>
      {results.length > 0 && <RichResults run={id} results={results} />}
      {artifacts !== undefined && <Artifacts org={org} run={run} />}
    </>
  );
}
